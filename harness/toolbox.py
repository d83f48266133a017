"""The tools that are built in, in the order in which every prompt names them."""

from cutaway.tools.base import AnyTool
from cutaway.tools.create_file import CreateFile
from cutaway.tools.file_search import FileSearch
from cutaway.tools.grep_search import GrepSearch
from cutaway.tools.list_dir import ListDir
from cutaway.tools.process import Processes
from cutaway.tools.read_file import ReadFile
from cutaway.tools.replace_string import ReplaceString
from cutaway.tools.run_in_terminal import RunInTerminal
from cutaway.tools.run_tests import RunTests
from cutaway.tools.task_complete import TaskComplete


def built_in_tools(processes: Processes) -> tuple[AnyTool, ...]:
    """Make the tools; `processes` knows what their commands leave running."""
    return (
        ReadFile(),
        ListDir(),
        FileSearch(),
        GrepSearch(),
        ReplaceString(),
        CreateFile(),
        RunInTerminal(processes),
        RunTests(processes),
        TaskComplete(),
    )
