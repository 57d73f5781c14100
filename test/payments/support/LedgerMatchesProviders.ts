/**
 * The books held against the outside: what the ledger says of each provider is what that provider really has, and what
 * callers read of each payment is what the books say of it. A check of the books alone has missed wrong signs.
 */
import { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Schedule } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { ledgerTables } from "../../../src/money/ledger/LedgerMemory.ts"
import { signedAmount } from "../../../src/domain/Movement.ts"
import { paymentTables } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { isAnyCurrencyCode } from "../../../src/domain/Currency.ts"
import type { Attempt, Payment } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { everything } from "../../support/ListPages.ts"
import type { ProviderFunds } from "./ProviderFunds.ts"

class Disagreement extends Data.TaggedError("Disagreement")<{ readonly message: string }> {}

interface Posting {
  readonly account: string
  readonly currency: string
  readonly minor: bigint
  readonly kind: string
  readonly payment_id: PaymentId | null
}

export const allPostings = Effect.gen(function* () {
  const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
  if (Option.isSome(sql)) {
    const rows = yield* sql.value<{
      account: string
      currency: string
      amount: string
      kind: string
      payment_id: PaymentId | null
    }>`select account, currency, amount, kind, payment_id from ledger_postings`
    return rows.map(({ amount, ...row }): Posting => {
      if (!isAnyCurrencyCode(row.currency)) throw new Error(row.currency)
      return { ...row, minor: moneyOf(amount, row.currency).minor }
    })
  }
  const { ledgerPostings } = (yield* Effect.serviceOptional(MemoryDatabase)).open(ledgerTables)
  return Array.from(ledgerPostings.values(), ({ account, amount, kind, payment_id }): Posting => ({
    account,
    currency: amount.currency,
    minor: amount.minor,
    kind,
    payment_id
  }))
}).pipe(Effect.orDie)

type AttemptRow = Pick<
  Attempt,
  "account" | "attempt_id" | "leg" | "org_id" | "outcome" | "own_account" | "payment_id" | "provider"
>

const allAttempts = Effect.gen(function* () {
  const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
  if (Option.isSome(sql)) {
    return yield* sql.value<AttemptRow>`select account, attempt_id, leg, org_id, outcome, own as own_account, payment_id, provider
      from attempts`
  }
  const { attempts } = (yield* Effect.serviceOptional(MemoryDatabase)).open(paymentTables)
  return Array.from(attempts.values(), (row): AttemptRow => row)
}).pipe(Effect.orDie)

const sum = (postings: ReadonlyArray<Posting>): bigint => postings.reduce((total, { minor }) => total + minor, 0n)

/** Decided by an operator, not reported by the provider. */
const byHand = ["adjustment", "ramp_return"]

type WithFunds = Provider & { readonly funds: ProviderFunds }

/** A provider as it is reached through an account: the platform's where there is none. */
interface Reached {
  readonly provider: WithFunds
  readonly account: string | null
}

/** Excludes the manual provider: it has what operators say. */
const hasFunds = (provider: Provider): provider is WithFunds => "funds" in provider && provider.name !== "manual"

interface Moved {
  readonly place: string
  readonly currency: string
  readonly minor: bigint
  readonly isFound: boolean
}

const allMovements = Effect.gen(function* () {
  const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
  if (Option.isSome(sql)) {
    const rows = yield* sql.value<{
      place: string
      currency: string
      amount: string
      is_found: boolean
    }>`select 'provider/' || provider || coalesce('/' || account, '') as place, currency, source = 'operator' as is_found,
      case when kind in ('collection', 'reinstatement') then amount else -amount end as amount
      from movements where state = 'settled'`
    return rows.map(({ amount, currency, is_found, place }): Moved => {
      if (!isAnyCurrencyCode(currency)) throw new Error(currency)
      return { place, currency, minor: moneyOf(amount, currency).minor, isFound: is_found }
    })
  }
  const { movements } = (yield* Effect.serviceOptional(MemoryDatabase)).open(paymentTables)
  return Array.from(movements.values())
    .filter(({ state }) => state === "settled")
    .map((movement): Moved => ({
      place: `provider/${movement.provider}${movement.account === null ? "" : `/${movement.account}`}`,
      currency: movement.amount.currency,
      minor: signedAmount(movement).minor,
      isFound: movement.source === "operator"
    }))
}).pipe(Effect.orDie)

/** Movements that operators found at the provider are not in its scripted funds. */
const providerProblems = (
  { account, provider }: Reached,
  postings: ReadonlyArray<Posting>,
  movements: ReadonlyArray<Moved>
) => {
  const { funds } = provider
  const name = account === null ? `provider/${provider.name}` : `provider/${provider.name}/${account}`
  const holdings = funds.holdings()
  const moved = movements.filter(({ place }) => place === name)
  const mine = postings.filter((one) => one.account === `${name}/${one.currency}` && one.payment_id !== null)
  const currencies = new Set([...holdings.keys(), ...mine.map(({ currency }) => currency)])
  return [...currencies].flatMap((currency) => {
    const booked = -sum(mine.filter((posting) => posting.currency === currency))
    const all = moved.filter((one) => one.currency === currency)
    const reported = all.filter(({ isFound }) => !isFound).reduce((total, { minor }) => total + minor, 0n)
    const found = all.filter(({ isFound }) => isFound).reduce((total, { minor }) => total + minor, 0n)
    const held = holdings.get(currency) ?? 0n
    return [
      ...(reported === held ? [] : [`${name} has ${held} ${currency} (minor), its movements add up to ${reported}`]),
      ...(booked === reported + found
        ? []
        : [`${name} moved ${reported + found} ${currency} (minor), the books say ${booked}`])
    ]
  })
}

const sumOfParts = (parts: Payment["refunds"], of: (part: Payment["refunds"][number]) => bigint): bigint =>
  parts.reduce((total, part) => total + of(part), 0n)

/** Credit that the organisation has because of a payment by its record, with what is held to be given back. */
const reported = ({ amount, direction, refunds, status, target, total_fees }: Payment): bigint => {
  const fees = total_fees?.minor ?? 0n
  if (direction === "outbound") return status === "completed" ? -(amount.minor + fees) : 0n
  if (direction === "external") return 0n
  const isReturning = ({ of, state }: Payment["refunds"][number]) => of !== undefined && state === "open"
  const returning = sumOfParts(refunds.filter(isReturning), (part) => part.amount.minor)
  if (status !== "completed" && status !== "refunded") return returning
  const gone = refunds.filter(({ of, state }) => of === undefined && state === "completed")
  return target.minor - fees - sumOfParts(gone, (part) => part.target.minor) + returning
}

const ownKinds = ["settlement", "held", "reserve", "own", "virtual", "escrow", "party"]

const recordProblems = (payment: Payment, postings: ReadonlyArray<Posting>) => {
  const own = postings.filter(
    ({ account, kind, payment_id }) =>
      payment_id === payment.payment_id && ownKinds.includes(account.split("/")[0]!) && !byHand.includes(kind)
  )
  const booked = sum(own)
  return booked === reported(payment) || payment.direction === "external"
    ? []
    : [
        `payment ${payment.payment_id} is ${payment.status}: its record tells ${reported(payment)}, the books say ${booked}`
      ]
}

/**
 * A payment moves the organisation's money on one account alone, and nothing that went through an account of its own
 * moves anything that the platform keeps.
 */
const sideProblems = (payment: Payment, attempts: ReadonlyArray<AttemptRow>, postings: ReadonlyArray<Posting>) => {
  const { amount, direction, funding, org_id, payment_id, target } = payment
  const sums = new Map<string, bigint>()
  const [side, kept] = [(currency: string) => `settlement/${org_id}/${currency}`, funding?.startsWith("own/") !== true]
  const main = funding ?? side(direction === "outbound" ? amount.currency : target.currency)
  const sides = attempts.filter((one) => one.payment_id === payment_id)
  for (const { account, currency, kind, minor, payment_id: of } of postings) {
    if (of !== payment_id || /^(held|reserve)\//.test(account) || !ownKinds.includes(account.split("/")[0]!)) continue
    const allowed = byHand.includes(kind)
      ? sides.flatMap((one) => {
          if (one.own_account) return [`own/${org_id}/${one.account}/${currency}`]
          // Settlement gets back what it paid of a receivable that the account could not bear.
          return kept && funding !== null ? [funding, side(currency)] : [side(currency)]
        })
      : [main]
    if (!allowed.includes(account)) sums.set(account, (sums.get(account) ?? 0n) + minor)
  }
  return Array.from(sums).flatMap(([account, minor]) =>
    minor === 0n ? [] : [`payment ${payment_id}, which is on ${main}, moved ${minor} (minor) on ${account}`]
  )
}

/** Looked at again for a while, since a callback may still be on its way. */
export const ledgerMatchesProviders = (
  providers: ReadonlyArray<Provider>,
  accounts: ReadonlyMap<string, Provider> = new Map()
) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const payments = yield* store.list(Option.none(), {}, everything)
    const attempts = yield* allAttempts
    const postings = yield* allPostings
    const movements = yield* allMovements
    const scripted: ReadonlyArray<Reached> = [
      ...providers.filter(hasFunds).map((provider) => ({ provider, account: null })),
      ...Array.from(accounts).flatMap(([account, provider]) => (hasFunds(provider) ? [{ provider, account }] : []))
    ]
    const problems = [
      ...scripted.flatMap((provider) => providerProblems(provider, postings, movements)),
      ...payments.flatMap((payment) => recordProblems(payment, postings)),
      ...payments.flatMap((payment) => sideProblems(payment, attempts, postings))
    ]
    if (problems.length > 0) return yield* new Disagreement({ message: problems.join("\n") })
  }).pipe(Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("15 seconds"))), Effect.orDie)
