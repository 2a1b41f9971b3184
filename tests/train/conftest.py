import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Networks as small as these are faster without threads, and other test workers want the cores."""
    torch.set_num_threads(1)
