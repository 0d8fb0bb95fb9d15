"""Samples that are drawn once and given to many trainings."""

import numpy as np
import pytest

from myomass.muscles.network import training
from myomass.muscles.network.sampling import SUBJECTS

pytest.importorskip("jax")


def test_given_samples_train_the_same_network(monkeypatch):
    for name in ("VALIDATION", "HELD_OUT"):
        monkeypatch.setattr(training, name, 200)
    subject = SUBJECTS["circle"]
    settings = training.Settings(hidden=(4,), steps=training.BLOCK, batch=32, samples=400, threshold=0.1)
    drawn = training.draw(subject, settings)
    own, given = training.train(subject, settings), training.train(subject, settings, drawn=drawn)
    assert own.digest == given.digest and own.about == given.about
    assert len(drawn.lessons.xi) == 400 and len(drawn.held_out.xi) == own.about["errors"]["held_out_samples"] == 200
    for part in drawn:
        assert not ((part.share > 0) & (part.share <= settings.threshold)).any()
    starts = [part.xi[:200] for part in drawn]
    assert not any(np.array_equal(starts[k], starts[k - 1]) for k in range(3))
