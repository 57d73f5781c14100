/** Entries for the suites of the books. */
import { Effect, Either, Schema } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { type Entry, type EntryKind, LedgerAccount, move, type Posting } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"

export const code = Schema.decodeUnknownSync(AnyCurrencyCode)

/** "10.50 KES" */
export const money = (text: string): Money => {
  const [amount = "", currency] = text.split(" ")
  return Either.getOrThrow(Money.fromNumericText(amount, code(currency)))
}

export const fiatProvider = (currency = "KES") => LedgerAccount.provider("fiat", code(currency))

export const entryOf = (
  org_id: OrgId | null,
  postings: ReadonlyArray<Posting>,
  about: Partial<Entry> & { readonly kind?: EntryKind } = {}
) =>
  Effect.map(nextId, (entry_id): Entry => ({
    entry_id,
    org_id,
    kind: "adjustment",
    payment_id: null,
    reference: null,
    postings,
    ...about
  }))

export const post = (...entries: ReadonlyArray<Entry>) => Effect.flatMap(LedgerStore, (store) => store.post(entries))

export const moved = (org_id: OrgId, from: LedgerAccount, to: LedgerAccount, amount: string) =>
  Effect.flatMap(entryOf(org_id, move(from, to, money(amount))), post)

export const balance = (account: LedgerAccount) =>
  Effect.flatMap(LedgerStore, (store) => Effect.map(store.balance(account), (amount) => amount.toString()))

/** Entries of these suites are posted without movements, which a check misses at the providers. */
export const problems = Effect.flatMap(LedgerStore, ({ check }) =>
  Effect.map(check, (report) => report.problems.filter(({ kind }) => kind !== "provider_differs"))
)

/** An organisation with two accounts that need no credit, and its own two. */
export const newBooks = (about: { readonly sandbox?: boolean } = {}) =>
  Effect.gen(function* () {
    const { org_id } = yield* newOrganization(about)
    const shillings = code("KES")
    return {
      org_id,
      settlement: LedgerAccount.settlement(org_id, shillings),
      held: LedgerAccount.held(org_id, shillings),
      first: LedgerAccount.virtual(yield* nextId, shillings),
      second: LedgerAccount.virtual(yield* nextId, shillings)
    }
  })
