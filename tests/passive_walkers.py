"""Passive walkers as point masses, by hand: an oracle that shares nothing with the library.

Masses sit at sum_k c_ik u(theta_k) from the foot that stands, u(theta) = (-sin theta, cos theta), so that

    sum_k A_jk (cos(theta_j - theta_k) theta_k'' + sin(theta_j - theta_k) theta_k'^2) = g b_j sin theta_j

with A = c^T m c and b = m c. A strike keeps the
angular momentum of everything about the foot that lands, and that of the leg behind about the hip.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


def up(theta: float | np.ndarray) -> np.ndarray:
    return np.array([-np.sin(theta), np.cos(theta)])


def along(theta: float | np.ndarray) -> np.ndarray:
    """d up / d theta"""
    return np.array([-np.cos(theta), -np.sin(theta)])


def cross(a: np.ndarray, b: np.ndarray) -> float:
    return a[0] * b[1] - a[1] * b[0]


@dataclass
class PointWalker:
    """Angles (standing leg, swinging leg), or (standing leg, swinging thigh, swinging shank) while the knee is bent."""

    slope: float
    gravity: float
    hip: float  # mass
    leg: list[tuple[float, float]]  # of a straight leg: masses, and their distances from the hip
    length: float
    knee: float | None = None  # its distance from the hip

    def masses(self, angles: int) -> tuple[np.ndarray, np.ndarray]:
        """(m, c): the standing leg, the hip, the swinging leg."""
        m, c = [], []
        for mass, d in self.leg:
            m.append(mass)
            c.append([self.length - d] + [0.0] * (angles - 1))
        m.append(self.hip)
        c.append([self.length] + [0.0] * (angles - 1))
        for mass, d in self.leg:
            m.append(mass)
            if angles == 2:
                c.append([self.length, -d])
            else:
                c.append([self.length, -min(d, self.knee), -max(d - self.knee, 0.0)])
        return np.array(m), np.array(c)

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        n = len(y) // 2
        m, c = self.masses(n)
        A, b = c.T @ (m[:, None] * c), m @ c
        gap = y[:n, None] - y[None, :n]
        force = self.gravity * b * np.sin(y[:n]) - (A * np.sin(gap)) @ y[n:] ** 2
        return np.concatenate([y[n:], np.linalg.solve(A * np.cos(gap), force)])

    def until(self, y: np.ndarray, guard, ready) -> tuple[float, np.ndarray]:
        """(t, y) where the guard falls through zero: Newton on the time, with the motion anew each time."""

        def event(t: float, y: np.ndarray) -> float:
            return guard(y) if ready(t, y) else 1.0

        event.terminal, event.direction = True, -1
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
        t = solve_ivp(self.rates, (0.0, 5.0), y, events=event, **options).t_events[0][0]
        for _ in range(4):
            end = solve_ivp(self.rates, (0.0, t), y, **options).y[:, -1]
            slope = guard(end + 1j * 1e-30 * self.rates(t, end)).imag / 1e-30
            t -= guard(end) / slope
        return t, solve_ivp(self.rates, (0.0, t), y, **options).y[:, -1]

    def height(self, y: np.ndarray) -> float:
        """Of the swinging foot of a straight leg over the slope."""
        return self.length * (up(y[0]) - up(y[1])) @ np.array([np.sin(self.slope), np.cos(self.slope)])

    def momenta(self, y: np.ndarray, about_foot: np.ndarray, foot_moves: bool) -> np.ndarray:
        """(all about a point, one leg about the hip): of the swinging leg, or before a strike of the standing one."""
        m, c = self.masses(2)
        x, v = c @ up(y[:2]).T, c @ (y[2:] * along(y[:2])).T
        hip, k = len(self.leg), len(self.leg)
        part = range(k) if foot_moves else range(k + 1, 2 * k + 1)
        whole = sum(m[i] * cross(x[i] - about_foot, v[i]) for i in range(len(m)))
        return np.array([whole, sum(m[i] * cross(x[i] - x[hip], v[i]) for i in part)])

    def solve_rates(self, angles: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Rates of both straight legs that have these momenta about the standing foot and the hip."""
        H = np.array([self.momenta(np.append(angles, e), np.zeros(2), False) for e in np.eye(2)]).T
        return np.linalg.solve(H, wanted)

    def heel_strike(self, y: np.ndarray) -> np.ndarray:
        """The state after it, the leg in front standing."""
        before = self.momenta(y, self.length * (up(y[0]) - up(y[1])), True)
        angles = y[[1, 0]]
        return np.append(angles, self.solve_rates(angles, before))

    def knee_strike(self, y: np.ndarray) -> np.ndarray:
        """All keeps its momentum about the foot, the swinging leg its own about the hip."""
        m, c = self.masses(3)
        x, v = c @ up(y[:3]).T, c @ (y[3:] * along(y[:3])).T
        k = len(self.leg)
        whole = sum(m[i] * cross(x[i], v[i]) for i in range(len(m)))
        leg = sum(m[i] * cross(x[i] - x[k], v[i]) for i in range(k + 1, len(m)))
        return np.append(y[:2], self.solve_rates(y[:2], np.array([whole, leg])))

    def stride(self, y: np.ndarray) -> tuple[float, np.ndarray, list[np.ndarray]]:
        """(period, state after the next heel strike, states before the strikes) from angles and rates of two legs."""
        t, before = 0.0, []
        if self.knee is not None:
            bent = np.array([y[0], y[1], y[1], y[2], y[3], y[3]])
            t, bent = self.until(bent, lambda y: y[1] - y[2], lambda t, y: t > 0.05)
            before.append(bent)
            y = self.knee_strike(bent)
        swing, y = self.until(y, self.height, lambda t, y: y[1] > y[0] + 0.05)
        before.append(y)
        return t + swing, self.heel_strike(y), before
