/** An account that owes for a returned transfer: what its credits repay, and what they cannot. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { AccountId, Ids, OrgId } from "../../../src/domain/Ids.ts"
import { LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { IncomingTransferStore } from "../../../src/treasury/accounts/IncomingTransferStore.ts"
import { resolve } from "../../payments/support/OperatorActions.ts"
import { attemptsOf, callBack, initiate, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { threeProviders } from "../../payments/support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { accepts, reports, scripted } from "../../payments/support/ScriptedProvider.ts"
import { idFrom } from "../../support/AnyId.ts"
import { people } from "../../support/TestCredentials.ts"
import {
  ask,
  balanceOf,
  dataOf,
  deposit,
  expectBooksInOrder,
  newBeneficiary,
  openAccount,
  withdraw
} from "./AccountFixtures.ts"

const KES = CurrencyCode.make("KES")
const shillings = (minor: bigint) => new Money({ currency: KES, minor })

const setReserve = (orgId: string, basis_points: number) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations
    const terms = { reserve_days: basis_points === 0 ? 0 : 3, delay_days: 0, minimum_amount: null }
    yield* organizations.setReserve(operatorPermit("platform", "olga"), OrgId.make(orgId), {
      ...{ payment_method: "card", basis_points, ...terms, minimum_currency: null }
    })
  })

/** Lets the organisation owe, as if it had borne a return. */
const owes = (orgId: string, accountId: string, minor: bigint) =>
  Effect.gen(function* () {
    const store = yield* IncomingTransferStore
    const transfer_id = yield* Effect.flatMap(Ids, (ids) => ids.next)
    yield* store.insert({
      ...{ transfer_id, provider: "paystack", account: null, kind: "reversal", movement_id: transfer_id },
      ...{ issuer_reference: null, amount: shillings(minor), sender: null, state: "receivable", reason: null },
      ...{ decided_by: null, org_id: OrgId.make(orgId), account_id: AccountId.make(accountId) }
    })
    const debt = LedgerAccount.receivable(OrgId.make(orgId), KES)
    const ledger = yield* LedgerStore
    yield* ledger.post([
      {
        ...{ entry_id: transfer_id, org_id: OrgId.make(orgId), kind: "incoming_transfer", payment_id: null },
        ...{ reference: transfer_id, postings: move(debt, LedgerAccount.provider("paystack", KES), shillings(minor)) }
      }
    ])
  })

/** Balance of the organisation, less what it owes. */
const settled = (orgId: string) =>
  Effect.gen(function* () {
    const accounts = [
      LedgerAccount.settlement(OrgId.make(orgId), KES),
      LedgerAccount.receivable(OrgId.make(orgId), KES)
    ]
    const balances = yield* (yield* LedgerStore).balances(accounts)
    return accounts.reduce((sum, account) => sum + Number(balances.get(account)?.minor ?? 0n), 0) / 100
  })

onDatabasePaymentServer("Payins to an account that owes", threeProviders, (it, { stripe }) => {
  const payIn = (country: string, accountId: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      stripe.on(country, accepts())
      const request = { ...byCard(), country, description: country, virtual_account_id: accountId }
      const { payment_id } = yield* initiate(request)
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      let nth = 0
      const callsBack = (about: object = {}) =>
        callBack("stripe", { key: `${country} ${++nth}`, reference, state: "completed", ...about })
      yield* callsBack()
      yield* untilStatus(payment_id, "completed")
      return { payment_id, callsBack }
    })

  const open = Effect.flatMap(people, ({ acme }) =>
    openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff"), currency: "KES" })
  )

  it.effect("repay what is left of them beside the reserve", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setReserve(acme.org_id, 1000)
      const { account_id } = yield* open
      yield* owes(acme.org_id, account_id, 200_000n)
      const before = yield* settled(acme.org_id)
      yield* payIn("DE", account_id)
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      expect((yield* settled(acme.org_id)) - before).toBe(1350)
      yield* setReserve(acme.org_id, 0)
      yield* payIn("AT", account_id)
      expect(yield* balanceOf(acme.key, account_id)).toBe(850)
      expect((yield* settled(acme.org_id)) - before).toBe(2000)
      yield* expectBooksInOrder
    })
  )

  it.effect("let a chargeback be decided that takes the reserve", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setReserve(acme.org_id, 1000)
      const { account_id } = yield* open
      const { callsBack, payment_id } = yield* payIn("FR", account_id)
      dataOf(
        yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 1350 })
      )
      const ledger = yield* LedgerStore
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: Money.zero(KES) })
      yield* owes(acme.org_id, account_id, 10_000n)
      yield* callsBack({ taken: { amount: "1500.00", currency: "KES" } })
      yield* resolve(payment_id, "completed", "the organisation bears it")
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      yield* setReserve(acme.org_id, 0)
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: null })
      yield* expectBooksInOrder
    })
  )
})

onDatabasePaymentServer(
  "A withdrawal from an account that owes",
  () => ({ providers: [scripted("flutterwave")] as const }),
  (it, { providers: [provider] }) => {
    it.effect("repays with what comes back when it fails", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
        yield* deposit(acme.key, account_id, 100)
        provider.otherwise(accepts())
        yield* serveCountry("KE", [provider.name], "bank_transfer", "outbound")
        const beneficiary_id = yield* newBeneficiary(acme.key)
        const made = yield* withdraw(acme.key, account_id, { amount: 100, beneficiary_id })
        yield* owes(acme.org_id, account_id, 6_000n)
        const store = yield* PaymentStore
        const payment = Option.getOrThrow(yield* store.find(Option.some(acme.org_id), idFrom(made.reference)))
        const [attempt] = yield* store.attemptsOf(payment.payment_id)
        yield* Effect.flatMap(RecordOutcome, ({ recordByAttempt }) =>
          recordByAttempt(attempt!, reports("failed"), { cause: "test" })
        ).pipe(Effect.provide(RecordOutcome.layer))
        expect(yield* balanceOf(acme.key, account_id)).toBe(40)
        expect((yield* ask(acme.key, `/${account_id}/withdraw`, { amount: 100, beneficiary_id })).status).toBe(409)
        yield* expectBooksInOrder
      })
    )
  }
)
