/**
 * Fetches rates from the sources of `RATE_SOURCE`, each in a fiber of its own, and stores them.
 *
 * - Instances share the work: the instance that claims a source fetches it.
 * - A source of lower priority replaces a rate only if the other source stopped renewing it, before the rate is stale.
 * - A rate that moves by more than 10 percent, at once or within 24 hours, is proposed with its inverse. An operator
 *   confirms both at once.
 * - A document that is too old, or older than the one before, renews nothing.
 */
import { readFile, stat } from "node:fs/promises"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
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
  rateDocumentMaxLead,
  rateFailuresToAlert,
  rateFetchRetry,
  rateFetchTimeout,
  rateSourceIntervals
} from "../../domain/policies/PaymentPolicies.ts"
import { againstUsd, type PublishedRates, type RateSource, replaces, type UsdRate } from "../../domain/RateSource.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { proposerOf, RateStore, type StoredRate } from "./RateStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

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

/** `changedAt`: when the file changed last, or what the `Last-Modified` header says; null: unknown. */
interface FetchedDocument {
  readonly text: string
  readonly changedAt: Date | null
}

const lastModified = ({ headers }: HttpClientResponse.HttpClientResponse): Date | null => {
  const date = new Date(headers["last-modified"] ?? "")
  return Number.isNaN(date.getTime()) ? null : date
}

const fileAt = async (location: string): Promise<FetchedDocument> => {
  const file = await stat(location)
  if (!file.isFile() || file.size > LARGEST_DOCUMENT) throw new Error("not a small file")
  return { text: await readFile(location, "utf8"), changedAt: file.mtime }
}

/** Error messages of clients may hold the address, and with it a key. A redirect is not followed: it may lead anywhere. */
const documentAt = ({ kind, location }: RateSource) =>
  kind === "file"
    ? Effect.tryPromise({
        try: () => fileAt(location),
        catch: () => failed("its file was not read, or is larger than 4 MB")
      })
    : HttpClient.get(location).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
        Effect.flatMap((response) =>
          response.status === 200
            ? Effect.map(bodyOf(response), (text): FetchedDocument => ({ text, changedAt: lastModified(response) }))
            : Effect.fail(failed(`it answered with ${response.status}`))
        ),
        Effect.scoped,
        Effect.mapError((error) => (error instanceof FetchFailed ? error : failed("it was not reached"))),
        Effect.timeoutFail({ duration: rateFetchTimeout, onTimeout: () => failed("it did not answer in time") }),
        Effect.retry(rateFetchRetry)
      )

const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))

type Pair = Pick<StoredRate, "from_currency" | "to_currency">

const pairOf = ({ from_currency, to_currency }: Pair): string => `${from_currency}/${to_currency}`

const wayBackOf = ({ from_currency, to_currency }: Pair): string => `${to_currency}/${from_currency}`

const make = Effect.gen(function* () {
  const store = yield* RateStore
  const client = yield* HttpClient.HttpClient
  const { atomically } = yield* Transactor
  const { rateMaxAge, rateSourceInterval, rateSources } = yield* Settings
  const { fetched: sources, priority } = rateSources
  const maxAge = Duration.toMillis(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
  const intervalOf = ({ kind }: RateSource) => Option.getOrElse(rateSourceInterval, () => rateSourceIntervals[kind])

  /** Another source takes over this long before a rate becomes stale, so that quotes do not stop in between. */
  const takeOverOf = (source: RateSource) => Math.min(2 * Duration.toMillis(intervalOf(source)), maxAge / 2)

  /** Stores the rows that this source may set. Answers with those that moved too far, as far as they are new. */
  const apply = (source: RateSource, rows: ReadonlyArray<UsdRate>, published_at: Date | null) =>
    atomically(
      Effect.gen(function* () {
        const { name } = source
        const stored = new Map((yield* store.listForUpdate).map((row) => [pairOf(row), row]))
        const open = (yield* store.proposals).filter(({ proposed_by }) => proposed_by === proposerOf(name))
        const proposed = new Map(open.map((one) => [pairOf(one), rateOf(one.rate)]))
        const own = rows.filter((row) => {
          const current = stored.get(pairOf(row))
          const age = current === undefined ? 0 : current.read_at.getTime() - current.updated_at.getTime()
          const isFresh = age + takeOverOf(source) <= maxAge
          return replaces(priority, name, current && { source: current.source, isFresh })
        })
        const moved = own.filter((row) => {
          const current = stored.get(pairOf(row))
          const before = current === undefined ? [] : [current.rate, current.compared_rate]
          return before.some((one) => jumps(rateOf(row.rate), rateOf(one)))
        })
        // A fall of 9.5 percent is a rise of 10.5 percent the other way: both wait.
        const waiting = new Set(moved.flatMap((row) => [pairOf(row), wayBackOf(row)]))
        const isWaiting = (row: UsdRate): boolean => waiting.has(pairOf(row))
        const taken = own.filter((row) => !isWaiting(row))
        yield* store.set(taken, { source: name, published_at })
        yield* Effect.forEach(
          taken.filter((row) => proposed.has(pairOf(row))),
          ({ from_currency, to_currency }) => store.dropProposal(from_currency, to_currency)
        )
        // The first proposal stands while the source stays near it: a person confirms the number that was shown.
        const fresh = own.filter((row) => {
          const before = proposed.get(pairOf(row))
          return isWaiting(row) && (before === undefined || jumps(rateOf(row.rate), before))
        })
        yield* Effect.forEach(fresh, (row) => store.propose({ ...row, proposed_by: proposerOf(name) }))
        return fresh
      })
    )

  const alertJump = (source: string, { from_currency, rate, to_currency }: UsdRate) =>
    alertOperator(
      "rate_proposed",
      `The rate of ${from_currency} to ${to_currency} from ${source} moves by more than 10 percent within 24 hours and waits for a person.`,
      { source, rate }
    )

  /** Refuses a document by its time of publication: renewed by it, an outdated rate would look fresh. */
  const checkTime = Effect.fnUntraced(function* (source: string, { publishedAt }: PublishedRates) {
    if (publishedAt === null) return
    const at = publishedAt.toISOString()
    const age = (yield* Clock.currentTimeMillis) - publishedAt.getTime()
    if (age > Duration.toMillis(rateDocumentMaxAge)) {
      return yield* failed(`its document was published at ${at}, more than ${Duration.format(rateDocumentMaxAge)} ago`)
    }
    if (-age > Duration.toMillis(rateDocumentMaxLead)) return yield* failed(`its document is of the future, ${at}`)
    const last = (yield* store.fetches).find((one) => one.source === source)?.published_at ?? null
    if (last !== null && publishedAt < last) return yield* failed(`its document of ${at} is older than the one before`)
  })

  const fetchOne = traced("RateFeed.fetchOne")(function* (source: RateSource) {
    const document = yield* Effect.provideService(documentAt(source), HttpClient.HttpClient, client)
    const read = yield* Either.mapLeft(source.read(document.text), failed)
    const isDated = read.publishedAt !== null || source.kind === "coinbase"
    const published = isDated ? read : { ...read, publishedAt: document.changedAt }
    const rows = yield* Either.mapLeft(againstUsd(published), failed)
    yield* checkTime(source.name, published)
    const jumped = yield* apply(source, rows, published.publishedAt)
    yield* store.fetched(source.name, published.publishedAt)
    yield* Effect.forEach(jumped, (row) => alertJump(source.name, row))
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
