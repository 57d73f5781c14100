/** How long the embedded PostgreSQL may take to start, to come back and to stop. */
import { Duration, Schedule } from "effect"

/** The embedded PostgreSQL is looked at every 15 ms until it is up, for half a minute: its start, or another's end. */
export const embeddedReadiness = Schedule.spaced("15 millis").pipe(Schedule.upTo("30 seconds"))

/** A lock file of it that names nobody is taken for a leftover after this long. */
export const embeddedLockPatience = Duration.seconds(2)

/** When it dies it is started again, after a failure to do so a second later, and later and later, up to eight times. */
export const embeddedRestarts = Schedule.exponential("1 second").pipe(
  Schedule.union(Schedule.spaced("15 seconds")),
  Schedule.intersect(Schedule.recurs(8))
)

/** After this long without a death it is trusted again. */
export const embeddedHealthyAfter = Duration.minutes(1)

/** Leaving it, which may mean stopping it, is the last step of a shutdown. */
export const embeddedLeavesWithin = Duration.millis(14_800)

/** A run of it that ended for a passing reason is followed by another after this pause. */
export const embeddedRestartPause = Duration.millis(100)

/** Connections to it that were just closed may take this long to leave its list. */
export const embeddedClosingConnections = Schedule.spaced("20 millis").pipe(Schedule.upTo("2 seconds"))

/** Its fast shutdown may take 15 seconds, then it is stopped at once, which may take 5. */
export const embeddedFastShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("15 seconds"))
export const embeddedImmediateShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("5 seconds"))
