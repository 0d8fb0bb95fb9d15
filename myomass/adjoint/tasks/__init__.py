"""What a run is asked for: tasks for `mm.value_and_grad` and `mm.optimise`, one file each.

They are added and weighted: `Reach("hand", target=(0.3, 0, 1.1)) + 0.01 * Rest() + 1e-6 * Effort()`.
"""

from .base import Misses, Sum, Task
from .effort import Effort, Near
from .follow import Follow
from .reach import Reach
from .rest import Rest

__all__ = ["Effort", "Follow", "Misses", "Near", "Reach", "Rest", "Sum", "Task"]


def __dir__() -> list[str]:
    return list(__all__)
