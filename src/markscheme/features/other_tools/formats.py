"""The file formats of other tools: how each is recognized, and what reads it."""

from collections import Counter
from collections.abc import Callable, Sequence

from markscheme.features.other_tools.argilla import is_argilla, read_argilla
from markscheme.features.other_tools.autorubric import is_autorubric, read_autorubric
from markscheme.features.other_tools.braintrust import is_braintrust, read_braintrust
from markscheme.features.other_tools.deepeval import is_deepeval, read_deepeval
from markscheme.features.other_tools.inspect import is_inspect, read_inspect
from markscheme.features.other_tools.label_studio import is_label_studio, read_label_studio
from markscheme.features.other_tools.langfuse import is_langfuse, read_langfuse
from markscheme.features.other_tools.langsmith import is_langsmith, read_langsmith
from markscheme.features.other_tools.mlflow import is_mlflow, read_mlflow
from markscheme.features.other_tools.phoenix import is_phoenix, read_phoenix
from markscheme.features.other_tools.prodigy import is_prodigy, read_prodigy
from markscheme.features.other_tools.ragas import is_ragas, read_ragas
from markscheme.features.other_tools.tool_content import ToolContent
from markscheme.features.other_tools.tool_pairs import (
    is_comparative_feedback,
    is_pairwise_task,
    read_comparative_feedback,
    read_pairwise_tasks,
)
from markscheme.features.other_tools.written_times import (
    Times,
    times_of_langfuse,
    times_of_langsmith,
    times_of_mlflow,
    times_of_phoenix,
)
from markscheme.ratings.example_rows import Example
from markscheme.readers.file_format import EXPORTED, FileFormat
from markscheme.readers.formats import one_by_one
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import Remark
from markscheme.rubrics.rubric import Rubric

PUBLISHED_SETS = 30
"""Rank of other packages' data sets, which are tried after exports and before our own files."""


def of_tool(
    reads: str,
    is_mine: Callable[[Peek], bool],
    read: Callable[[Sequence[Peek], ToolContent], None],
    times: Callable[[Peek], Times] | None = None,
) -> FileFormat:
    """Make the file format of a tool with named metrics, whose export may consist of several files.

    Args:
        reads: Description of the files for a message.
        is_mine: Function that returns True if a file is one of the tool's.
        read: Function that adds the content of the files of one export to a ToolContent.
        times: Function that yields the time at which each response was given; None for a tool that doesn't record it.
    """

    def read_tool_files(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
        readings = []
        for_responses = rubric is None and columns.expected == "examples"
        by = rubric_of_wholes() if for_responses else rubric
        for parts in [files] if columns.joined else [[peek] for peek in files]:
            content = ToolContent(parts[0].path, by, columns=columns, for_responses=for_responses)
            read(parts, content)
            readings.append(content.reading())
        return readings

    def read_remarks(files: Sequence[Peek]) -> tuple[list[Remark], dict[str, Example], Counter[str], list[str]]:
        content = ToolContent(files[0].path, for_remarks=True)
        read(files, content)
        return content.every_remark, content.responses, content.lost_as_remarks, content.notes

    return FileFormat(
        reads, is_mine, read_tool_files, is_of_tool=True, read_remarks=read_remarks, times=times, rank=EXPORTED
    )


def comparing_or_not(single: FileFormat) -> FileFormat:
    """Return a copy of a format that reads LangSmith's comparisons as pairs, and other files as `single` does.

    Args:
        single: The format, whose own reader reads single responses.
    """

    def read_either(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
        compares = any(is_comparative_feedback(peek) for peek in files)
        return (read_comparative_feedback if compares else single.read)(files, rubric, columns)

    return single._replace(read=read_either)


TOOL_FORMATS = (
    of_tool("traces of MLflow", is_mlflow, read_mlflow, times_of_mlflow),
    of_tool("scores and traces of Langfuse", is_langfuse, read_langfuse, times_of_langfuse),
    FileFormat("pairwise tasks of Label Studio", is_pairwise_task, read_pairwise_tasks, is_of_tool=True, rank=EXPORTED),
    of_tool("annotations of Label Studio", is_label_studio, read_label_studio),
    of_tool("a log of Inspect", is_inspect, read_inspect),
    comparing_or_not(of_tool("feedback and runs of LangSmith", is_langsmith, read_langsmith, times_of_langsmith)),
    of_tool("annotations and spans of Phoenix", is_phoenix, read_phoenix, times_of_phoenix),
    of_tool("a test run of DeepEval", is_deepeval, read_deepeval),
    of_tool("records of Argilla", is_argilla, read_argilla),
    of_tool("annotations of Ragas", is_ragas, read_ragas),
    of_tool("an experiment of Braintrust", is_braintrust, read_braintrust),
    of_tool("tasks of Prodigy", is_prodigy, read_prodigy),
    FileFormat("a dataset of autorubric", is_autorubric, one_by_one(read_autorubric), rank=PUBLISHED_SETS),
)
"""The formats of tools; those with equal rank are tried in this order."""
