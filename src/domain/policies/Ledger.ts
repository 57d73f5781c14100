/** The days of the books. */
import { Duration } from "effect"

/** A day is summed up this long after its end; a posting that comes a minute after its time says so itself. */
export const booksClosingDelay = Duration.hours(1)

/** Whoever closes a day waits this long for those who post at that moment, and looks this often whether they have ended. */
export const postingPatience = Duration.seconds(10)
export const postingPause = Duration.millis(100)
