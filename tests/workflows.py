"""What the jobs of a workflow of GitHub may do."""

from collections.abc import Mapping
from typing import Any


def permissions_beyond(workflow: Mapping[str, Any], job: str) -> dict[str, str]:
    """Return the permissions that a job has and its workflow doesn't, by what they are for.

    Example:
        >>> jobs = {"build": {}, "publish": {"permissions": {"contents": "read", "pages": "write"}}}
        >>> workflow = {"permissions": {"contents": "read"}, "jobs": jobs}
        >>> permissions_beyond(workflow, "build"), permissions_beyond(workflow, "publish")
        ({}, {'pages': 'write'})
    """
    everyone = workflow["permissions"]
    of_job = workflow["jobs"][job].get("permissions", {})
    if not isinstance(of_job, Mapping):  # `write-all`, say
        return {"all": of_job}
    return {what: access for what, access in of_job.items() if access not in ("none", everyone.get(what))}
