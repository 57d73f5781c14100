/** Coinbase (Developer Platform): USDC in to an address of its own for each payment, and out to any address. */
import { Clock, Duration, Effect, Either, Option, Random, Redacted, Schema } from "effect"
import { Absent, Declined, type Enquiry, type Outcome, Unknown } from "../../domain/Outcome.ts"
import { type Call, get, NeverSent, postJson, type ProviderReply } from "../client/ProviderHttp.ts"
import { accountTest, alsoTold } from "../port/AccountTest.ts"
import { credentialsRefused, preparedOrDeclined, outcomeOfOrder, makeStatusWarning } from "../client/ProviderReplies.ts"
import type { AttemptContext } from "../port/Provider.ts"
import { type Account, type Connected, credentialText, thirdParty } from "../port/ThirdParty.ts"
import { optionalText, objectReader } from "../client/WireValues.ts"
import * as answers from "./CoinbaseAnswers.ts"
import { readCallback } from "./CoinbaseCallbacks.ts"
import * as requests from "./CoinbaseRequests.ts"
import { readSigningKey, tokenFor } from "./CoinbaseSignatures.ts"
import { coinbaseRegistration, webhookEvents } from "./CoinbaseWebhooks.ts"

/** Without an environment of its own for trying things. */
const baseUrl = "https://api.cdp.coinbase.com/platform"

const fields = {
  key_id: { env: "COINBASE_KEY_ID", about: "Id of the API key", shown: true, identifies: true },
  key_secret: {
    env: "COINBASE_KEY_SECRET",
    about: "Secret of the API key: PEM of an EC key, or Ed25519 in base64",
    lines: true
  },
  account_id: {
    env: "COINBASE_ACCOUNT_ID",
    about: "The account that is paid into and out of, account_ and a UUID; needed where the key opens several",
    optional: true,
    shown: true,
    identifies: true
  },
  webhook_secret: {
    env: "COINBASE_WEBHOOK_SECRET",
    about: "Secret of the webhook subscription; without it every callback is refused",
    optional: true
  }
} as const

/** Coinbase keeps keys for a day. */
const remembers = Duration.hours(23)

const MOST_PAGES = 50

const decodeAccounts = Schema.decodeUnknownEither(
  Schema.Struct({ accounts: Schema.Array(Schema.Struct({ accountId: Schema.String, name: optionalText })) })
)

/** Of each asset the amount in the asset itself, which is told beside what it is worth in others. */
const decodeBalances = objectReader({
  balances: Schema.Array(
    Schema.Struct({
      asset: Schema.Struct({ symbol: Schema.String }),
      amount: Schema.Record({ key: Schema.String, value: Schema.Struct({ available: Schema.String }) })
    })
  )
})

const onlyAccount = (reply: ProviderReply): Either.Either<string, Declined> => {
  if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
  const { accounts } = Either.getOrElse(decodeAccounts(reply.json), () => ({ accounts: [] }))
  const [only, ...others] = accounts
  return only === undefined || others.length > 0
    ? Either.left(
        new Declined({
          reason: `the key opens ${accounts.length} accounts at Coinbase: say which in ${fields.account_id.env}`,
          code: "CREDENTIALS_REFUSED"
        })
      )
    : Either.right(only.accountId)
}

/** Random number of 128 bits, so that no two tokens are the same. */
const nonce = Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 0x1_0000_0000), 4), (numbers) =>
  numbers.map((number) => number.toString(16).padStart(8, "0")).join("")
)

const warnIfUnexpected = makeStatusWarning("Coinbase", answers.isExpectedStatus)

const connect = (account: Account<typeof fields>): Connected => {
  const { credentials, http } = account
  const key = readSigningKey(Redacted.value(credentials.key_secret))
  const usableKey = Either.mapLeft(key, (reason) => new Declined({ reason, code: "CREDENTIALS_REFUSED" }))

  const addressOf = (path: string): string => {
    const { host, pathname } = new URL(account.baseUrl)
    return `${host}${pathname.replace(/\/+$/, "")}${path.split("?")[0]}`
  }

  const call: Call = (about) =>
    Effect.gen(function* () {
      if (Either.isLeft(key)) return yield* new NeverSent({ reason: key.left })
      const token = tokenFor(key.right, {
        keyId: Redacted.value(credentials.key_id),
        method: about.method,
        address: addressOf(about.path),
        nonce: yield* nonce,
        nowMillis: yield* Clock.currentTimeMillis
      })
      return yield* http.call({ ...about, headers: { ...about.headers, authorization: `Bearer ${token}` } })
    })

  const listAccounts = call(get("list accounts", "/v2/accounts?pageSize=50"))

  let known = credentialText(credentials.account_id)
  /** Where it is not named, the one that the key opens. */
  const theAccount: Effect.Effect<string, Declined> = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(preparedOrDeclined(listAccounts, onlyAccount), (id) => Effect.sync(() => void (known = id)))
      : Effect.succeed(known)
  )

  const asEnquiry = Effect.mapError(theAccount, ({ reason }): Enquiry => new Unknown({ reason }))

  const create = (
    operation: string,
    reference: string,
    creation: Either.Either<requests.Creation, Declined>,
    read: (reply: ProviderReply) => Outcome
  ): Effect.Effect<Outcome> =>
    Effect.merge(
      Effect.flatMap(Either.andThen(usableKey, creation), ({ body, path }) =>
        outcomeOfOrder(call(postJson(operation, path, body, { "x-idempotency-key": reference })), read)
      )
    )

  const ask = <A>(
    operation: string,
    path: string,
    read: (reply: ProviderReply) => Either.Either<A, Enquiry>
  ): Effect.Effect<A, Enquiry> =>
    call(get(operation, path)).pipe(
      Effect.mapError(({ reason }): Enquiry => new Unknown({ reason })),
      Effect.flatMap(read)
    )

  /** Page after page, until one says that it is enough. */
  const walk = <A>(
    operation: string,
    pathOf: (pageToken: string | undefined) => string,
    read: (reply: ProviderReply) => Either.Either<answers.Page<A>, Enquiry>,
    isEnough: (items: ReadonlyArray<A>) => boolean = () => false
  ): Effect.Effect<ReadonlyArray<A>, Enquiry> =>
    Effect.gen(function* () {
      const all: Array<A> = []
      let token: string | undefined
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const { items, next }: answers.Page<A> = yield* ask(operation, pathOf(token), read)
        all.push(...items)
        if (next === undefined || next === "" || isEnough(items)) return all
        token = next
      }
      return yield* Effect.fail<Enquiry>(new Unknown({ reason: "Coinbase's list is too long to be sure" }))
    })

  const transferAt = (id: string) =>
    ask("look up transfer", `/v2/transfers/${encodeURIComponent(id)}`, answers.readTransfer)

  const destinationAt = (id: string) =>
    ask("look up deposit destination", `/v2/deposit-destinations/${encodeURIComponent(id)}`, answers.readDestination)

  /** The first of the ids that hints named whose object carries our reference. */
  const hinted = <A extends { readonly metadata?: { readonly reference?: string | undefined } | undefined }>(
    { hintedIds, reference }: AttemptContext,
    look: (id: string) => Effect.Effect<A, Enquiry>,
    isOurs: (one: A) => boolean
  ): Effect.Effect<A | undefined> =>
    Effect.gen(function* () {
      for (const id of hintedIds) {
        const one = yield* Effect.option(look(id))
        if (Option.isSome(one) && one.value.metadata?.reference === reference && isOurs(one.value)) return one.value
      }
      return undefined
    })

  const findTransfer = (attempt: AttemptContext): Effect.Effect<Enquiry, Enquiry> =>
    Effect.gen(function* () {
      const id = attempt.providerPaymentId
      if (id !== null) return answers.transferReport(yield* transferAt(id))
      const accountId = yield* asEnquiry
      const known = yield* hinted(attempt, transferAt, ({ source }) => source?.accountId === accountId)
      if (known !== undefined) return answers.transferReport(known)
      const pages = requests.transfersOf("sourceAccountId", accountId, attempt)
      const all = yield* walk("list transfers", pages, answers.readTransfers)
      const ours = all.find(({ metadata }) => metadata?.reference === attempt.reference)
      return ours === undefined ? new Absent() : answers.transferReport(ours)
    })

  const findDestination = (attempt: AttemptContext): Effect.Effect<answers.Destination, Enquiry> =>
    Effect.gen(function* () {
      const accountId = yield* asEnquiry
      const known = yield* hinted(attempt, destinationAt, (one) => one.accountId === accountId)
      if (known !== undefined) return known
      const isOurs = ({ metadata }: answers.Destination): boolean => metadata?.reference === attempt.reference
      const isBefore = ({ createdAt }: answers.Destination): boolean =>
        Date.parse(createdAt ?? "") < requests.since(attempt).getTime()
      const all = yield* walk(
        "list deposit destinations",
        requests.destinations(accountId),
        answers.readDestinations,
        (items) => items.some(isOurs) || items.some(isBefore)
      )
      return yield* Effect.fromNullable(all.find(isOurs)).pipe(Effect.mapError((): Enquiry => new Absent()))
    })

  const findDeposit = (attempt: AttemptContext): Effect.Effect<Enquiry, Enquiry> =>
    Effect.gen(function* () {
      const known = attempt.providerPaymentId
      const destination = known === null ? yield* findDestination(attempt) : undefined
      const id = destination?.depositDestinationId ?? known ?? ""
      const pages = requests.transfersOf("targetAccountId", yield* asEnquiry, attempt)
      const report = yield* answers.depositReport(id, yield* walk("list transfers", pages, answers.readTransfers))
      return report ?? answers.waitingReport(destination ?? (yield* destinationAt(id)))
    })

  return {
    honoursReference: remembers,
    provesAbsence: false,
    initiate: (order) =>
      Effect.merge(
        Effect.flatMap(theAccount, (accountId) =>
          order.flow === "outbound"
            ? create("create transfer", order.reference, requests.transferOf(order, accountId), answers.transferCreated)
            : create(
                "create deposit destination",
                order.reference,
                requests.depositOf(order, accountId),
                answers.depositCreated
              )
        )
      ),
    enquire: (attempt) => {
      switch (requests.kindOfAttempt(attempt)) {
        case "transfer":
          return Effect.tap(Effect.merge(findTransfer(attempt)), warnIfUnexpected)
        case "deposit":
          return Effect.tap(Effect.merge(findDeposit(attempt)), warnIfUnexpected)
        default:
          return Effect.succeed(new Unknown({ reason: "Coinbase makes no refunds" }))
      }
    },
    callback: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => readCallback(credentials.webhook_secret, request, now, known)),
    register: coinbaseRegistration(call, account.callbackUrl),
    test: accountTest(listAccounts, "the API key", decodeAccounts, ({ accounts }) => {
      const named = credentialText(credentials.account_id)
      const ours = named === undefined ? accounts : accounts.filter(({ accountId }) => accountId === named)
      const name = ours.map((one) => `${one.name ?? ""} ${one.accountId}`.trim()).join(", ")
      const [only] = ours
      if (ours.length !== 1 || only === undefined) {
        const note = `the key opens ${accounts.length} accounts: say which in ${fields.account_id.env}`
        return Effect.succeed(name === "" ? { note } : { name, note })
      }
      const path = `/v2/accounts/${encodeURIComponent(only.accountId)}/balances`
      return Effect.map(alsoTold(call(get("read balances", path)), decodeBalances), (told) => ({
        name,
        ...(told && {
          balances: told.balances.map(
            ({ amount, asset: { symbol } }) => `${amount[symbol]?.available ?? "?"} ${symbol.toUpperCase()}`
          )
        })
      }))
    })
  }
}

export const coinbase = thirdParty({
  name: "coinbase",
  baseUrls: { sandbox: baseUrl, live: baseUrl },
  // Test and live share one address and one kind of key.
  modes: {},
  fields,
  serves: requests.serves,
  refunds: false,
  setup: {
    keys: [
      "CDP portal, API keys: a secret key with the scopes Transfer and View for the account. To register by command, it also needs the permission accounts:write."
    ],
    registers: "the webhook subscription, with its events and secret",
    callbacks: {
      at: "CDP portal, Webhooks",
      events: webhookEvents,
      secret: "webhook_secret"
    }
  },
  connect
})
