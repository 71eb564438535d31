"""Names of files of streams and of judges' looks, by which `status` sees whether there are any."""

STREAM_FILE = "stream.jsonl"
"""The file in a stream's folder that exists once the stream has begun."""
ANCHORS_FILE = "anchors.jsonl"
"""The file in a rubric's calibration folder with all looks of its judge at the accepted examples."""
