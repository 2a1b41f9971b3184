"""The window of `render_mode="human"`, and the renderer that environments hold."""

from __future__ import annotations

from typing import Any

import gymnasium

from boop_env.envs.render.raster import Picture, rgb
from boop_env.envs.render.words import text
from boop_env.rules.game import Game

RENDER_MODES = ("human", "rgb_array", "ansi")


class Window:
    """A window that shows pictures, opened with the first one.

    Args:
        title: what its frame says.

    Raises:
        ImportError: pygame is not installed.
    """

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ImportError as error:
            raise ImportError(
                'render_mode="human" needs pygame: pip install "boop-env[render]"; "rgb_array" does not'
            ) from error
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self._clock = pygame.time.Clock()

    def show(self, picture: Picture, fps: int) -> None:
        """Shows a picture, and waits so that no more than `fps` are shown a second."""
        pygame = self._pygame
        size = (picture.shape[1], picture.shape[0])
        if self._screen is None or self._screen.get_size() != size:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode(size)
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()
        self._screen = None


class Renderer:
    """Shows games as an environment's `render_mode` asks; the window opens with its first picture.

    Args:
        mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
        title: the window's.

    Raises:
        ValueError: there is no such mode.
    """

    def __init__(self, mode: str | None, title: str) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode={mode!r} is not one of {', '.join(RENDER_MODES)}")
        self.mode = mode
        self._title = title
        self._window: Window | None = None

    def render(self, game: Game, fps: int) -> Picture | str | None:
        """A picture, a text, or None after showing it in the window.

        Args:
            game: what to show.
            fps: pictures the window shows a second, at most; it waits for that.

        Raises:
            ImportError: ``"rgb_array"`` or ``"human"`` without the ``render`` extra.
        """
        if self.mode is None:
            gymnasium.logger.warn("render() without a render_mode shows nothing; give one when making the environment")
            return None
        if self.mode == "ansi":
            return text(game)
        if self.mode == "rgb_array":
            return rgb(game)
        if self._window is None:
            self._window = Window(self._title)
        self._window.show(rgb(game), fps)
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Renderer:
        return Renderer(self.mode, self._title)
