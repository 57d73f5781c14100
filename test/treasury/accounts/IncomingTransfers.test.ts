/** Details of virtual accounts, and transfers to them: by callback and by list, credited once, held against the bank. */
import { expect } from "@effect/vitest"
import { Deferred, Effect, Either, Logger, LogLevel, Metric } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import {
  type IncomingTransfer,
  type IssueAnswer,
  Issued,
  MaybeIssued,
  NotIssued,
  NotListed
} from "../../../src/providers/port/AccountIssuer.ts"
import { Check, Proof } from "../../../src/providers/port/Callback.ts"
import { fullCapacity } from "../../../src/platform/database/ProviderQueues.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { IncomingTransfers } from "../../../src/treasury/accounts/IncomingTransfers.ts"
import { AccountDetails } from "../../../src/treasury/accounts/AccountDetails.ts"
import { IncomingTransferStore } from "../../../src/treasury/accounts/IncomingTransferStore.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { eventually, queueOf } from "../../payments/support/PaymentCalls.ts"
import { actable } from "../../payments/support/ActionCalls.ts"
import { onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { post, send } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import {
  accountOf,
  ask,
  balanceOf,
  dataOf,
  eventsOf,
  expectBooksInOrder,
  messageOf,
  openAccount,
  transactionsOf
} from "./AccountFixtures.ts"

const NGN = CurrencyCode.make("NGN")
const naira = (minor: bigint) => new Money({ currency: NGN, minor })

/** A provider with accounts: what it holds, lists and calls back is what the test sent there. */
const bank = () => {
  const moved: Array<IncomingTransfer & { readonly at: Date }> = []
  /** Transfers that one list can have. */
  let most = Infinity
  let answers: Array<IssueAnswer> = []
  let lists = true
  const asked: Array<string> = []
  const proof = Either.getOrThrow(Proof.from(Check.same("secret", "secret"), "no"))
  const { funds: _funds, ...provider } = actable("paystack")
  const paystack: Provider = {
    ...provider,
    callback: ({ body }) =>
      Effect.sync(() => {
        const reported = moved.filter(({ id }) => id === body.toString())
        return reported.length === 0
          ? { events: [], listTransfers: true as const }
          : { events: [], transfers: reported.map((one) => ({ ...one, proof })) }
      }),
    accounts: {
      currencies: ["NGN"],
      issue: ({ holder, reference }) =>
        Effect.sync(() => {
          asked.push(reference)
          const details = { account_name: holder.name, account_number: "9807062474" }
          return answers.shift() ?? new Issued({ providerReference: `CUS_${reference}`, details })
        }),
      incoming: (since, until = new Date(8.64e15)) =>
        Effect.suspend(() => {
          const found = moved.filter(({ at }) => at >= since && at <= until)
          if (!lists) return new NotListed({ reason: "HTTP 500" })
          return found.length > most ? new NotListed({ reason: "too long", isTooLong: true }) : Effect.succeed(found)
        })
    }
  }
  return {
    providers: [paystack],
    asked,
    answers: (...next: ReadonlyArray<IssueAnswer>) => void (answers = [...next]),
    listing: (does: boolean) => void (lists = does),
    listingAtMost: (some: number) => void (most = some),
    move: (transfer: IncomingTransfer, at = new Date()) => void moved.push({ ...transfer, at }),
    holds: () => moved.reduce((sum, { amount, kind }) => sum + (kind === "reversal" ? -amount.minor : amount.minor), 0n)
  }
}

for (const backend of backends) {
  const made = bank()

  onPaymentServer("Transfers to virtual accounts", backend, made, (it) => {
    const open = (about: object = {}) =>
      Effect.flatMap(people, ({ acme }) =>
        openAccount(acme.key, {
          ...{ org_id: acme.org_id, user_id: acme.userId("staff"), currency: "NGN" },
          ...{ payment_rail: "bank_transfer", ...about }
        })
      )

    const issued = (about: object = {}) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account_id } = yield* open(about)
        yield* eventually(accountOf(acme.key, account_id), ({ details_status }) => details_status === "issued")
        return account_id
      })

    /** Moves money without a callback yet. */
    const arrives = (id: string, accountId: string, minor: bigint, about: Partial<IncomingTransfer> = {}) =>
      Effect.sync(() =>
        made.move({
          ...{ id, kind: "collection", amount: naira(minor), sender: "Ada Obi" },
          providerReference: `CUS_${accountId}`,
          ...about
        })
      )

    const callBack = (body: string) =>
      send("/callbacks/paystack", { method: "POST", headers: { "content-type": "text/plain" }, body })

    const lists = Effect.gen(function* () {
      yield* (yield* IncomingTransferStore).listSoon("paystack")
      yield* (yield* AccountDetails).runOnce
    })

    /** The ledger has of the provider what the bank holds. */
    const agrees = Effect.gen(function* () {
      const ledger = yield* LedgerStore
      const { minor } = yield* ledger.balance(LedgerAccount.provider("paystack", NGN))
      expect(-minor).toBe(made.holds())
      yield* expectBooksInOrder
    })

    const linesOf = (accountId: string) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const rows = yield* transactionsOf(acme.key, accountId)
        return rows.map(({ amount, description, type }) => `${type} ${amount} ${String(description)}`).toReversed()
      })

    const itemsFor = (credential?: Credential) =>
      Effect.map(queueOf(credential), (all) => all.filter(({ kind }) => kind === "incoming_transfer"))
    const items = Effect.flatMap(people, ({ admin }) => itemsFor(admin))

    it.effect("show details once a provider has issued them, and say so until then", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued({ holder: { name: "Ada Obi" } })
        expect(yield* accountOf(acme.key, account_id)).toMatchObject({
          ...{ provider: "paystack", payment_rail: "bank_transfer", details_status: "issued", details_message: null },
          details: { account_name: "Ada Obi", account_number: "9807062474" }
        })
      })
    )

    it.effect(
      "are asked for again while it is unknown whether they exist, and of another provider after a refusal",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const store = yield* VirtualAccountStore
          made.answers(new MaybeIssued({ reason: "timeout" }))
          const { account_id } = yield* open()
          yield* eventually(
            Effect.sync(() => made.asked.filter((one) => one === account_id).length),
            (n) => n === 1
          )
          expect((yield* accountOf(acme.key, account_id)).details_status).toBe("pending")
          expect(yield* store.claimDetails(fullCapacity(10))).toEqual([])
          made.answers(new NotIssued({ reason: "phone is needed" }))
          const refused = yield* open()
          const reported = yield* eventually(
            accountOf(acme.key, refused.account_id),
            ({ details_status }) => details_status !== "pending"
          )
          // Asks the sandbox's own simulator next.
          expect(reported).toMatchObject({
            details_status: "issued",
            provider: "fiat",
            details: { bank_name: "Sandbox Bank" }
          })
        })
    )

    it.effect("are refused where a provider gives out the details of another account", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const first = yield* issued()
        const twice = new Issued({ providerReference: `CUS_${first}`, details: { account_number: "9807062474" } })
        made.answers(twice)
        const { account_id } = yield* open()
        const reported = yield* eventually(
          accountOf(acme.key, account_id),
          ({ details_status }) => details_status !== "pending"
        )
        expect(reported).toMatchObject({
          details_status: "refused",
          details_message: "paystack gave the details of another account."
        })
      })
    )

    it.effect("come to an account in USDC as a wallet transfer, at an address", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued({ currency: "USDC", payment_rail: "wallet" })
        expect(yield* accountOf(acme.key, account_id)).toMatchObject({
          ...{ currency: "USDC", provider: "crypto", payment_rail: "wallet", balance: 0 },
          details: { address: expect.stringMatching(/^0x/), network: "ETHEREUM" }
        })
        dataOf(yield* ask(acme.key, `/${account_id}/simulate-deposit`, { amount: 12.345678 }))
        expect(yield* balanceOf(acme.key, account_id)).toBe(12.345678)
        expect(yield* transactionsOf(acme.key, account_id)).toMatchObject([
          { type: "credit", currency: "USDC", payment_rail: "wallet" }
        ])
        const settled = { from_account_id: account_id, to_account_id: "settlement", amount: 12 }
        dataOf(yield* ask(acme.key, "/transfer", settled))
        expect(yield* balanceOf(acme.key, account_id)).toBe(0.345678)
        const body = { org_id: acme.org_id, user_id: acme.userId("staff") }
        for (const [currency, payment_rail, right] of [
          ["USDC", "bank_transfer", "wallet"],
          ["NGN", "wallet", "bank_transfer"]
        ] as const) {
          const wrong = yield* ask(acme.key, "/internal/bank", { ...body, currency, payment_rail })
          expect([wrong.status, messageOf(wrong)]).toEqual([
            400,
            expect.stringMatching(new RegExp(`^payment_rail: .*\\b${right}\\b.*\\b${currency}\\b`))
          ])
        }
        yield* expectBooksInOrder
      })
    )

    it.effect("get no details in a currency that no provider issues, and the answer says how to fund them", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const body = { org_id: acme.org_id, user_id: acme.userId("staff"), payment_rail: "bank_transfer" }
        const answer = yield* ask(acme.key, "/internal/bank", { ...body, currency: "CHF" })
        const { details_message, details_status } = dataOf<{ details_message: string; details_status: string }>(
          answer,
          201
        )
        if (details_status === "none") {
          expect(messageOf(answer)).toContain("virtual_account_id")
          expect(details_message).toContain("CHF")
        } else {
          // Issues every currency at the sandbox's own simulator.
          expect(details_status).toBe("pending")
        }
        const wrong = yield* ask(acme.key, "/internal/bank", { ...body, currency: "NGN", payment_rail: "pigeon" })
        expect([wrong.status, messageOf(wrong)]).toEqual([400, expect.stringContaining("payment_rail")])
      })
    )

    it.effect("are credited once by callbacks and lists, at once and again", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued()
        yield* arrives("t1", account_id, 150_000n)
        const answers = yield* Effect.all([callBack("t1"), callBack("t1"), lists, callBack("t1"), lists], {
          concurrency: "unbounded"
        })
        for (const answer of answers) if (answer !== undefined) expect(answer.status).toBe(200)
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 1500)
        yield* callBack("t1")
        yield* lists
        expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
        expect(yield* linesOf(account_id)).toEqual(["credit 1500 Transfer from Ada Obi"])
        const events = yield* eventsOf(acme.key, "virtual_account.deposit")
        const mine = events.filter(({ data }) => data["account_id"] === account_id)
        expect(mine.map(({ data }) => [data["amount"], data["balance"]])).toEqual([[1500, 1500]])
        yield* agrees
      })
    )

    it.effect("are found by the list alone, also after lists that failed and for a frozen account", () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        const account_id = yield* issued()
        dataOf(yield* ask(admin, `/${account_id}/freeze`, {}))
        made.listing(false)
        yield* arrives("t2", account_id, 70_000n)
        yield* lists
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        made.listing(true)
        expect((yield* callBack("nothing that is known")).status).toBe(200)
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 700)
        yield* agrees
      })
    )

    it.effect("are listed in slices of time if there are too many, and a slice that is still too long is skipped", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued()
        const reported = { kind: "collection", amount: naira(1_000n), sender: null } as const
        const minutesAgo = (minutes: number, id: string) =>
          made.move(
            { ...reported, id, providerReference: `CUS_${account_id}` },
            new Date(Date.now() - minutes * 60_000)
          )
        for (const minutes of [10, 20, 21, 22, 23, 50, 51, 90, 91]) minutesAgo(minutes, `slice ${minutes}`)
        const at = new Date(Date.now() - 35 * 60_000)
        const burst = ["b1", "b2", "b3", "b4", "b5"]
        for (const id of burst) made.move({ ...reported, id, providerReference: `CUS_${account_id}` }, at)
        const alerts = () =>
          Metric.unsafeSnapshot()
            .filter(({ metricKey: { name, tags } }) => {
              return (
                name === "corridor_operator_alerts_total" &&
                tags.some(({ value }) => value === "transfer_list_too_long")
              )
            })
            .map(({ metricState }) => (metricState as unknown as { readonly count: number }).count)
        const before = alerts()
        made.listingAtMost(4)
        yield* lists
        // The worker of the server may have taken it up.
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 90)
        expect(alerts()).not.toEqual(before)
        made.listingAtMost(Infinity)
        for (const id of burst) yield* callBack(id)
        expect(yield* balanceOf(acme.key, account_id)).toBe(140)
        yield* agrees
      })
    )

    it.effect("are left alone if the provider does not say whose they are and no account is known", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const before = (yield* items).length
        const account_id = yield* issued()
        const transfers = yield* IncomingTransfers
        const reported = { kind: "collection", amount: naira(2_000n), sender: null, isUncertain: true } as const
        const reportTransfer = (id: string, account: string) =>
          transfers.record(
            { provider: "paystack", account: null },
            { ...reported, id, providerReference: `CUS_${account}` }
          )
        yield* arrives("y1", account_id, 2_000n)
        expect(yield* reportTransfer("y1", account_id)).toBe("applied")
        expect(yield* reportTransfer("y2", "stranger")).toBe("seen before")
        expect(yield* balanceOf(acme.key, account_id)).toBe(20)
        expect((yield* items).length).toBe(before)
        yield* agrees
      })
    )

    it.effect("are not booked with an amount that no transfer has", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued()
        const transfers = yield* IncomingTransfers
        for (const kind of ["collection", "reversal"] as const) {
          for (const minor of [0n, -500n, 10n ** 26n]) {
            const reported = { id: `${kind} ${minor}`, kind, amount: naira(minor), sender: null }
            const from = { provider: "paystack", account: null } as const
            yield* transfers.record(from, { ...reported, providerReference: `CUS_${account_id}` })
          }
        }
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        expect(yield* transactionsOf(acme.key, account_id)).toEqual([])
        yield* agrees
      })
    )

    it.effect("leave nothing behind if the crediting is cut off", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued()
        yield* arrives("t3", account_id, 20_000n)
        const transfers = yield* IncomingTransfers
        const reported = { id: "t3", kind: "collection", amount: naira(20_000n), sender: "Ada Obi" } as const
        const begun = yield* Deferred.make<void>()
        const recorded = Effect.zipRight(
          Deferred.succeed(begun, undefined),
          transfers.record(
            { provider: "paystack", account: null },
            { ...reported, providerReference: `CUS_${account_id}` }
          )
        )
        yield* Effect.raceFirst(recorded, Effect.delay(Deferred.await(begun), "1 millis"))
        yield* lists
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 200)
        expect(yield* linesOf(account_id)).toHaveLength(1)
        yield* agrees
      })
    )

    it.effect("take a return back from the account, owe what it lacks, and credit a canceled return", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const ledger = yield* LedgerStore
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: Money.zero(NGN) })
        const account_id = yield* issued()
        yield* arrives("t4", account_id, 50_000n)
        yield* callBack("t4")
        yield* arrives("r4", account_id, 20_000n, { kind: "reversal" })
        yield* callBack("r4")
        yield* callBack("r4")
        expect(yield* balanceOf(acme.key, account_id)).toBe(300)
        dataOf(
          yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 300 })
        )
        const owed = LedgerAccount.receivable(acme.org_id, NGN)
        const settlement = LedgerAccount.settlement(acme.org_id, NGN)
        const sum = Effect.map(ledger.balances([owed, settlement]), (all) =>
          Number(all.get(owed)!.minor + all.get(settlement)!.minor)
        )
        const before = yield* sum
        yield* arrives("r5", account_id, 30_000n, { kind: "reversal" })
        yield* callBack("r5")
        expect((yield* sum) - before).toBe(-30_000)
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        // The organisation bore the return, so it gets the money back.
        yield* arrives("r5", account_id, 30_000n, { kind: "reinstatement" })
        yield* lists
        yield* eventually(sum, (now) => now === before)
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        expect(yield* linesOf(account_id)).toEqual([
          "credit 500 Transfer from Ada Obi",
          "debit 200 Returned transfer from Ada Obi",
          "debit 300 Transfer to settlement",
          "credit 300 Canceled return of a transfer from Ada Obi",
          "debit 300 Repayment of a returned transfer"
        ])
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: null })
        yield* agrees
      })
    )

    it.effect(
      "pay first what the organisation bore of an earlier return, once, also when several arrive together",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const ledger = yield* LedgerStore
          yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: Money.zero(NGN) })
          const owed = LedgerAccount.receivable(acme.org_id, NGN)
          const settlement = LedgerAccount.settlement(acme.org_id, NGN)
          const sum = Effect.map(ledger.balances([owed, settlement]), (all) =>
            Number(all.get(owed)!.minor + all.get(settlement)!.minor)
          )
          const account_id = yield* issued()
          yield* arrives("d1", account_id, 40_000n)
          yield* callBack("d1")
          dataOf(
            yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 400 })
          )
          const before = yield* sum
          yield* arrives("d1-back", account_id, 40_000n, { kind: "reversal" })
          yield* callBack("d1-back")
          expect((yield* sum) - before).toBe(-40_000)
          // Any credit of the account pays, and what it lacks of a return is all that is owed.
          dataOf(yield* ask(acme.key, `/${account_id}/simulate-deposit`, { amount: 100 }))
          expect(yield* balanceOf(acme.key, account_id)).toBe(0)
          expect((yield* sum) - before).toBe(-30_000)
          const several = ["d2", "d3", "d4", "d5"]
          for (const id of several) yield* arrives(id, account_id, 15_000n)
          yield* Effect.forEach([...several, ...several], callBack, { concurrency: "unbounded" })
          yield* lists
          yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 300)
          expect(yield* sum).toBe(before)
          const lines = yield* linesOf(account_id)
          expect(lines.filter((line) => line === "credit 150 Transfer from Ada Obi")).toHaveLength(4)
          expect(lines.filter((line) => line.endsWith("Repayment of a returned transfer")).toSorted()).toEqual([
            "debit 100 Repayment of a returned transfer",
            "debit 150 Repayment of a returned transfer",
            "debit 150 Repayment of a returned transfer"
          ])
          // Another account of the organisation owes nothing.
          const other = yield* issued()
          yield* arrives("d6", other, 5_000n)
          yield* callBack("d6")
          expect(yield* balanceOf(acme.key, other)).toBe(50)
          // Nothing is owed any more: the canceled return is the account's.
          yield* arrives("d1-back", account_id, 40_000n, { kind: "reinstatement" })
          yield* callBack("d1-back")
          yield* lists
          yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 700)
          yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: null })
          yield* agrees
        })
    )

    it.effect("take of a return what the account has, and owe the rest", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const ledger = yield* LedgerStore
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: Money.zero(NGN) })
        const owed = LedgerAccount.receivable(acme.org_id, NGN)
        const settlement = LedgerAccount.settlement(acme.org_id, NGN)
        const sum = Effect.map(ledger.balances([owed, settlement]), (all) =>
          Number(all.get(owed)!.minor + all.get(settlement)!.minor)
        )
        const account_id = yield* issued()
        yield* arrives("p1", account_id, 40_000n)
        yield* callBack("p1")
        dataOf(
          yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 1 })
        )
        const before = yield* sum
        yield* arrives("p1-back", account_id, 40_000n, { kind: "reversal" })
        yield* callBack("p1-back")
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        expect((yield* sum) - before).toBe(-100)
        expect((yield* linesOf(account_id)).filter((line) => line.startsWith("debit 399"))).toHaveLength(1)
        // A canceled return pays what is owed of it, and the rest is the account's again.
        yield* arrives("p1-back", account_id, 40_000n, { kind: "reinstatement" })
        yield* callBack("p1-back")
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 399)
        expect(yield* sum).toBe(before)
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: null })
        yield* agrees
      })
    )

    it.effect("wait in suspense for an operator if they name no account, another currency or a closed one", () =>
      Effect.gen(function* () {
        const { acme, admin, globex } = yield* people
        const accounts = yield* VirtualAccountStore
        const before = (yield* items).length
        const account_id = yield* issued()
        const closed = yield* issued()
        yield* accounts.setStatus(acme.org_id, closed, "closed", null)
        yield* arrives("s1", "nobody", 10_000n)
        yield* arrives("s2", closed, 20_000n)
        for (const id of ["s1", "s2", "s1"]) expect((yield* callBack(id)).status).toBe(200)
        const transfers = yield* IncomingTransfers
        const dollars = new Money({ currency: CurrencyCode.make("USD"), minor: 500n })
        const foreign = { id: "s3", kind: "collection", amount: dollars, sender: null } as const
        const reference = { providerReference: `CUS_${account_id}` }
        yield* transfers.record({ provider: "paystack", account: null }, { ...foreign, ...reference })
        const waiting = yield* items
        expect(waiting.length - before).toBe(3)
        const [wrong] = waiting.filter(({ detail }) => String(detail).includes("5.00 USD"))
        expect(String(wrong?.["detail"])).toContain("is in NGN")
        const away = { outcome: "credited", org_id: acme.org_id, reason: "theirs" }
        const wrongPath = `/v1/operations/incoming-transfers/${String(wrong!["item_id"])}/resolve`
        expect((yield* post(wrongPath, { ...admin }, { ...away, account_id })).status).toBe(400)
        dataOf(yield* post(wrongPath, { ...admin }, away))
        const [unknown] = waiting.filter(({ detail }) => String(detail).includes("100.00"))
        expect(unknown).toMatchObject({ org_id: null })
        expect(yield* itemsFor()).toMatchObject([{ org_id: acme.org_id }])
        expect(yield* itemsFor(globex.key)).toEqual([])
        const suspense = LedgerAccount.suspense(NGN)
        const ledger = yield* LedgerStore
        expect((yield* ledger.balance(suspense)).minor).toBe(30_000n)
        yield* agrees
        const path = `/v1/operations/incoming-transfers/${String(unknown!["item_id"])}/resolve`
        const decide = (body: object, credential = admin) =>
          post(path, { ...credential }, { reason: "the sender called", ...body })
        expect((yield* decide({ outcome: "credited", account_id }, globex.key)).status).toBe(403)
        const other = yield* decide({ outcome: "credited", account_id, org_id: globex.org_id })
        expect([other.status, messageOf(other)]).toEqual([400, expect.stringContaining("org_id")])
        const bad = yield* decide({ outcome: "credited", account_id: "none" })
        expect([bad.status, messageOf(bad)]).toEqual([400, expect.stringContaining("account_id")])
        expect(dataOf(yield* decide({ outcome: "credited", account_id }))).toMatchObject({
          ...{ state: "resolved", account_id, reason: "the sender called" }
        })
        expect((yield* decide({ outcome: "credited", account_id })).status).toBe(409)
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        const [late] = yield* items
        const returned = { outcome: "returned", movement_id: "r-s2", reason: "sent back in the dashboard" }
        dataOf(
          yield* post(`/v1/operations/incoming-transfers/${String(late!["item_id"])}/resolve`, { ...admin }, returned)
        )
        // Reports the same return later.
        yield* arrives("r-s2", closed, 20_000n, { kind: "reversal" })
        yield* callBack("r-s2")
        yield* lists
        expect((yield* items).length).toBe(before)
        expect((yield* ledger.balance(suspense)).minor).toBe(0n)
        yield* agrees
      })
    )

    it.effect(
      "leave suspense without a decision once the provider itself returns them, and come back the same way",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const accounts = yield* VirtualAccountStore
          const ledger = yield* LedgerStore
          const [before, suspense] = [(yield* items).length, LedgerAccount.suspense(NGN)]
          const owed = LedgerAccount.receivable(acme.org_id, NGN)
          const closed = yield* issued()
          yield* accounts.setStatus(acme.org_id, closed, "closed", null)
          const owes = (yield* ledger.balance(owed)).minor
          yield* arrives("u1", "stranger", 11_000n)
          yield* arrives("u2", "stranger", 11_000n)
          yield* arrives("u3", closed, 12_000n)
          for (const id of ["u1", "u2", "u3"]) yield* callBack(id)
          expect((yield* items).length - before).toBe(3)
          yield* arrives("u2-back", "stranger", 11_000n, { kind: "reversal", of: "u2" })
          yield* arrives("u3-back", closed, 12_000n, { kind: "reversal" })
          for (const id of ["u2-back", "u3-back", "u2-back"]) yield* callBack(id)
          const [left, ...others] = (yield* items).slice(0, (yield* items).length - before)
          expect([others, String(left?.["detail"])]).toEqual([[], expect.stringContaining("110.00")])
          expect((yield* ledger.balance(owed)).minor).toBe(owes)
          yield* arrives("u1-back", "stranger", 11_000n, { kind: "reversal", of: "u1" })
          yield* callBack("u1-back")
          expect((yield* items).length).toBe(before)
          expect((yield* ledger.balance(suspense)).minor).toBe(0n)
          // A return of part of it is another matter: both wait.
          yield* arrives("u4", "stranger", 13_000n)
          yield* arrives("u4-back", "stranger", 3_000n, { kind: "reversal", of: "u4" })
          yield* callBack("u4")
          yield* callBack("u4-back")
          expect((yield* items).length - before).toBe(2)
          // The canceled return of it closes the return.
          yield* arrives("u4-back", "stranger", 3_000n, { kind: "reinstatement" })
          yield* callBack("u4-back")
          yield* lists
          expect((yield* items).length - before).toBe(1)
          yield* arrives("u4-all", "stranger", 13_000n, { kind: "reversal", of: "u4" })
          yield* callBack("u4-all")
          expect((yield* items).length).toBe(before)
          yield* agrees
        })
    )

    it.effect("know a return again that an operator stated without the provider's id", () =>
      Effect.gen(function* () {
        const { admin } = yield* people
        const before = (yield* items).length
        yield* arrives("v1", "stranger", 14_000n)
        yield* callBack("v1")
        const [item] = (yield* items).filter(({ detail }) => String(detail).includes("140.00"))
        const path = `/v1/operations/incoming-transfers/${String(item!["item_id"])}/resolve`
        dataOf(yield* post(path, { ...admin }, { outcome: "returned", reason: "seen in the dashboard" }))
        yield* arrives("v1-back", "stranger", 14_000n, { kind: "reversal", of: "v1" })
        // Another one of the same amount is returned by the provider alone.
        yield* arrives("v2", "stranger", 14_000n)
        yield* callBack("v2")
        yield* arrives("v2-back", "stranger", 14_000n, { kind: "reversal", of: "v2" })
        yield* callBack("v2-back")
        expect((yield* items).length).toBe(before)
        yield* Effect.all([callBack("v1-back"), callBack("v1-back"), lists], { concurrency: "unbounded" })
        yield* lists
        expect((yield* items).length).toBe(before)
        yield* agrees
      })
    )

    it.effect("know such a return again although the provider names no account with either", () =>
      Effect.gen(function* () {
        const { admin } = yield* people
        const before = (yield* items).length
        const unnamed = { providerReference: null }
        yield* arrives("w1", "stranger", 15_500n, unnamed)
        yield* callBack("w1")
        const [item] = (yield* items).filter(({ detail }) => String(detail).includes("155.00"))
        const path = `/v1/operations/incoming-transfers/${String(item!["item_id"])}/resolve`
        dataOf(yield* post(path, { ...admin }, { outcome: "returned", reason: "seen in the dashboard" }))
        yield* arrives("w1-back", "stranger", 15_500n, { ...unnamed, kind: "reversal", of: "w1" })
        yield* callBack("w1-back")
        yield* lists
        expect((yield* items).length).toBe(before)
        yield* agrees
      })
    )

    it.effect("are resolved together with their return by one decision that names it", () =>
      Effect.gen(function* () {
        const { admin } = yield* people
        const before = (yield* items).length
        yield* arrives("z1", "stranger", 17_000n)
        yield* callBack("z1")
        yield* arrives("z1-back", "stranger", 17_000n, { kind: "reversal", providerReference: null })
        yield* callBack("z1-back")
        const waiting = (yield* items).filter(({ detail }) => String(detail).includes("170.00"))
        expect(waiting).toHaveLength(2)
        const first = waiting.find(({ detail }) => !String(detail).includes("-170.00"))
        const path = `/v1/operations/incoming-transfers/${String(first!["item_id"])}/resolve`
        const body = { outcome: "returned", movement_id: "z1-back", reason: "seen in the dashboard" }
        expect(dataOf(yield* post(path, { ...admin }, body))).toMatchObject({ state: "resolved" })
        expect((yield* items).length).toBe(before)
        yield* agrees
      })
    )

    it.effect("are owed by the organisation if no account can bear a return that an operator decides on", () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        const ledger = yield* LedgerStore
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: Money.zero(NGN) })
        const owed = LedgerAccount.receivable(acme.org_id, NGN)
        const settlement = LedgerAccount.settlement(acme.org_id, NGN)
        const account_id = yield* issued()
        const before = yield* ledger.balances([owed, settlement])
        const bears = { outcome: "credited", reason: "their transfer" }
        const decide = (id: string, amount: bigint, body: object) =>
          Effect.gen(function* () {
            yield* arrives(id, "stranger", amount, { kind: "reversal" })
            yield* callBack(id)
            const shown = naira(-amount).toString()
            const [item] = (yield* items).filter(({ detail }) => String(detail).includes(shown))
            const path = `/v1/operations/incoming-transfers/${String(item!["item_id"])}/resolve`
            return dataOf(yield* post(path, { ...admin }, { ...bears, ...body }))
          })
        const more = before.get(settlement)!.minor + 700_000n
        expect(yield* decide("w1", more, { org_id: acme.org_id })).toMatchObject({ state: "receivable" })
        expect((yield* ledger.balance(owed)).minor).toBe(before.get(owed)!.minor - 700_000n)
        expect(yield* decide("w2", 9_000n, { account_id })).toMatchObject({ state: "receivable", account_id })
        expect((yield* ledger.balance(owed)).minor).toBe(before.get(owed)!.minor - 709_000n)
        yield* arrives("w3", account_id, 10_000n)
        yield* callBack("w3")
        expect(yield* balanceOf(acme.key, account_id)).toBe(10)
        expect((yield* ledger.balance(owed)).minor).toBe(before.get(owed)!.minor - 700_000n)
        yield* ledger.setLimit({ org_id: acme.org_id, currency: NGN, credit_limit: null })
        yield* agrees
      })
    )

    it.effect("keep the first amount of a transfer that is reported with another one, and alert an operator once", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const account_id = yield* issued()
        yield* arrives("x1", account_id, 15_000n)
        yield* callBack("x1")
        const transfers = yield* IncomingTransfers
        const reported = (amount: Money) =>
          transfers.record(
            { provider: "paystack", account: null },
            { id: "x1", kind: "collection", amount, sender: null, providerReference: `CUS_${account_id}` }
          )
        const alerts: Array<unknown> = []
        const logger = Logger.make(({ annotations }) => {
          for (const [name, value] of annotations) if (name === "operator_alert") alerts.push(value)
        })
        const deliver = (amount: Money) =>
          reported(amount).pipe(Logger.withMinimumLogLevel(LogLevel.Error), Effect.provide(Logger.add(logger)))
        for (const amount of [naira(15_000n), naira(16_000n), naira(16_000n)]) {
          expect(yield* deliver(amount)).toBe("seen before")
        }
        expect(alerts).toEqual(["transfer_contradicted"])
        yield* deliver(new Money({ currency: CurrencyCode.make("USD"), minor: 15_000n }))
        expect(alerts).toHaveLength(2)
        expect(yield* balanceOf(acme.key, account_id)).toBe(150)
        yield* agrees
      })
    )
  })
}

for (const backend of backends) {
  /** One provider never answers; the other issues at once. */
  const bankOf = (name: "paystack" | "stripe", currency: "NGN" | "EUR", answers: boolean): Provider => {
    const { funds: _funds, ...provider } = actable(name)
    const reference = (id: string) => ({ providerReference: `CUS_${id}`, details: { account_number: "1" } })
    return {
      ...provider,
      accounts: {
        currencies: [currency],
        issue: (wanted) => (answers ? Effect.succeed(new Issued(reference(wanted.reference))) : Effect.never),
        incoming: () => (answers ? Effect.succeed(listed) : Effect.never)
      }
    }
  }
  const listed: Array<IncomingTransfer> = []
  const providers = [bankOf("paystack", "NGN", false), bankOf("stripe", "EUR", true)]

  onPaymentServer("Beside a provider that hangs", backend, { providers }, (it) => {
    it.effect("details are issued and lists read at the others", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const about = { org_id: acme.org_id, user_id: acme.userId("staff"), payment_rail: "bank_transfer" }
        // More than are asked for at a time.
        yield* Effect.replicateEffect(openAccount(acme.key, { ...about, currency: "NGN" }), 6)
        const { account_id } = yield* openAccount(acme.key, { ...about, currency: "EUR" })
        yield* eventually(accountOf(acme.key, account_id), ({ details_status }) => details_status === "issued")
        const amount = new Money({ currency: CurrencyCode.make("EUR"), minor: 700n })
        listed.push({ id: "t1", kind: "collection", amount, sender: "Eva", providerReference: `CUS_${account_id}` })
        yield* (yield* IncomingTransferStore).listSoon("stripe")
        yield* eventually(balanceOf(acme.key, account_id), (balance) => balance === 7)
      })
    )
  })
}
