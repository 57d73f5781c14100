/** Every Schedule and time limit of the service, so that its patience can be read on one page. */
import { Duration, Schedule } from "effect"

/** A transaction that the database undid for a conflict runs again up to five times, 5 ms apart and doubling, with jitter. */
export const serializationRetry = Schedule.exponential("5 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(5))
)

/** At shutdown, requests that are under way get this long to finish. */
export const drainTimeout = Duration.seconds(15)

/** A client may take this long to send its request; a slower one is cut off. */
export const requestTimeout = Duration.seconds(30)

/** A connection without a request is kept open this long. */
export const keepAliveTimeout = Duration.seconds(65)

/** Waiting for a free database connection longer than this fails the request. */
export const connectTimeout = Duration.seconds(10)

/** The readiness check waits this long for the database. */
export const readinessTimeout = Duration.seconds(2)

/** Tokens of the development issuer are valid this long; every start issues fresh ones. */
export const developmentTokenTtl = Duration.hours(12)

/** Failed authentications that one address may make in a minute. */
export const failedAuthenticationsPerMinute = 120
