/**
 * Fetches rates from the sources of `RATE_SOURCE`, each in a fiber of its own, and stores them.
 *
 * - Instances share the work: a source is fetched by the instance that claims it.
 * - A source of lower priority replaces a rate only if the other source stopped renewing it.
 * - A rate that moves by more than 10 percent is proposed instead: an operator confirms it.
 */
import { readFile } from "node:fs/promises"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import {
  BigDecimal,
  Cause,
  Clock,
  Context,
  Data,
  Duration,
  Effect,
  Either,
  Layer,
  Option,
  Schedule,
  Stream
} from "effect"
import { jumps, Rate } from "../../domain/Exchange.ts"
import {
  liveRateMaxAge,
  rateDocumentMaxAge,
  rateFailuresToAlert,
  rateFetchRetry,
  rateFetchTimeout,
  rateSourceIntervals
} from "../../domain/policies/PaymentPolicies.ts"
import { againstUsd, type PublishedRates, type RateSource, replaces, type UsdRate } from "../../domain/RateSource.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { proposerOf, RateStore } from "./RateStore.ts"

/** A source that was not reached, or whose document was not understood. */
class FetchFailed extends Data.TaggedError("FetchFailed")<{ readonly message: string }> {}

const LARGEST_DOCUMENT = 4 * 1024 * 1024

const failed = (message: string) => new FetchFailed({ message })

/** At most a few megabytes, so that a source cannot fill the memory. */
const bodyOf = (response: HttpClientResponse.HttpClientResponse) =>
  Stream.runFoldEffect(response.stream, Buffer.alloc(0), (all, part) =>
    all.length + part.length > LARGEST_DOCUMENT
      ? Effect.fail(failed("its document is larger than 4 MB"))
      : Effect.succeed(Buffer.concat([all, part]))
  ).pipe(Effect.map((bytes) => bytes.toString("utf8")))

/** Error messages of clients may hold the address, and with it a key. */
const documentAt = ({ kind, location }: RateSource) =>
  kind === "file"
    ? Effect.tryPromise({ try: () => readFile(location, "utf8"), catch: () => failed("its file was not read") })
    : HttpClient.get(location).pipe(
        Effect.flatMap((response) =>
          response.status === 200 ? bodyOf(response) : Effect.fail(failed(`it answered with ${response.status}`))
        ),
        Effect.scoped,
        Effect.mapError((error) => (error instanceof FetchFailed ? error : failed("it was not reached"))),
        Effect.timeoutFail({ duration: rateFetchTimeout, onTimeout: () => failed("it did not answer in time") }),
        Effect.retry(rateFetchRetry)
      )

const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))

const pairOf = ({ from_currency, to_currency }: Pick<UsdRate, "from_currency" | "to_currency">): string =>
  `${from_currency}/${to_currency}`

const make = Effect.gen(function* () {
  const store = yield* RateStore
  const client = yield* HttpClient.HttpClient
  const { atomically } = yield* Transactor
  const { rateMaxAge, rateSourceInterval, rateSources } = yield* Settings
  const { fetched: sources, priority } = rateSources
  const maxAge = Duration.toMillis(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
  const intervalOf = ({ kind }: RateSource) => Option.getOrElse(rateSourceInterval, () => rateSourceIntervals[kind])

  /** Stores the rows that this source may set. Answers with those that moved too far, as far as they are new. */
  const apply = (source: string, rows: ReadonlyArray<UsdRate>, published_at: Date | null) =>
    atomically(
      Effect.gen(function* () {
        const stored = new Map((yield* store.listForUpdate).map((row) => [pairOf(row as UsdRate), row]))
        const open = (yield* store.proposals).filter(({ proposed_by }) => proposed_by === proposerOf(source))
        const proposed = new Map(open.map((one) => [pairOf(one as UsdRate), one.rate]))
        const own = rows.filter((row) => {
          const current = stored.get(pairOf(row))
          const age = current === undefined ? 0 : current.read_at.getTime() - current.updated_at.getTime()
          return replaces(priority, source, current && { source: current.source, isFresh: age <= maxAge })
        })
        const hasJumped = (row: UsdRate): boolean => {
          const current = stored.get(pairOf(row))
          return current !== undefined && jumps(rateOf(row.rate), rateOf(current.rate))
        }
        const jumped = own.filter(hasJumped)
        yield* store.set(
          own.filter((row) => !hasJumped(row)),
          { source, published_at }
        )
        yield* Effect.forEach(jumped, (row) => store.propose({ ...row, proposed_by: proposerOf(source) }))
        return jumped.filter((row) => !proposed.has(pairOf(row)))
      })
    )

  const alertJump = (source: string, { from_currency, rate, to_currency }: UsdRate) =>
    alertOperator(
      "rate_proposed",
      `The rate of ${from_currency} to ${to_currency} from ${source} moves by more than 10 percent and waits for a person.`,
      { source, rate }
    )

  const alertIfOld = (source: string, { publishedAt }: PublishedRates, now: number) =>
    publishedAt === null || now - publishedAt.getTime() <= Duration.toMillis(rateDocumentMaxAge)
      ? Effect.void
      : alertOperator("rate_source_stale", `Rates from ${source} were published long ago.`, {
          source,
          published_at: publishedAt.toISOString()
        })

  const fetchOne = Effect.fn("RateFeed.fetch")(function* (source: RateSource) {
    const document = yield* Effect.provideService(documentAt(source), HttpClient.HttpClient, client)
    const published = yield* Either.mapLeft(source.read(document), failed)
    const rows = yield* Either.mapLeft(againstUsd(published), failed)
    const jumped = yield* apply(source.name, rows, published.publishedAt)
    yield* store.fetched(source.name, published.publishedAt)
    yield* Effect.forEach(jumped, (row) => alertJump(source.name, row))
    yield* alertIfOld(source.name, published, yield* Clock.currentTimeMillis)
  })

  const fetchIfDue = Effect.fnUntraced(function* (source: RateSource) {
    if (!(yield* store.claimFetch(source.name, intervalOf(source)))) return
    yield* Effect.catchTag(
      fetchOne(source),
      "FetchFailed",
      Effect.fnUntraced(function* ({ message }) {
        const failures = yield* store.fetchFailed(source.name, message)
        yield* Effect.logWarning(`Rates from ${source.name} were not fetched: ${message}`)
        if (failures === rateFailuresToAlert) {
          const text = `Rates from ${source.name} were not fetched ${failures} times in a row: ${message}.`
          yield* alertOperator("rate_source_failed", text, { source: source.name })
        }
      })
    )
  })

  /** A busy database is not the source's failure: the next turn tries again. */
  const keepFetching = (source: RateSource) =>
    fetchIfDue(source).pipe(
      Effect.catchAll((failure) => Effect.logWarning(`Rates from ${source.name} were not stored`, Cause.fail(failure))),
      Effect.repeat(Schedule.jittered(Schedule.spaced(Duration.times(intervalOf(source), 0.5)))),
      Effect.asVoid
    )

  return {
    /** Fetches every source that is due, once. */
    fetchDue: Effect.forEach(sources, fetchIfDue, { concurrency: "unbounded", discard: true }),
    /** Fetches each source again and again. */
    worker: Effect.zipRight(
      Effect.forEach(sources, keepFetching, { concurrency: "unbounded", discard: true }),
      Effect.never
    )
  }
})

export class RateFeed extends Context.Tag("corridor/RateFeed")<RateFeed, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(RateFeed, make)
}
