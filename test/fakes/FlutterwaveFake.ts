/**
 * A fake of Flutterwave: charges, its payment page, transfers and refunds. A second charge of one reference is a second
 * charge, since nothing shows that the real one refuses it; callbacks carry the secret hash and no signature.
 */
import { Either } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import { stringifyWire } from "../../src/domain/Decimal.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Fake, FakeCallback, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { shortText } from "../../src/providers/client/WireValues.ts"
import {
  listedRefundOf,
  refundOf,
  transactionOf,
  transferOf,
  AccountNumber,
  answer,
  BankCharge,
  BankTransfer,
  MobileCharge,
  mobileKinds,
  mobileProblem,
  moneyIn,
  moneyOf,
  listedTransaction,
  Page,
  readBody,
  Refund,
  refused,
  Transfer
} from "./FlutterwaveFakeBodies.ts"

const credentials = {
  secret_key: "FLWSECK_TEST-fake-of-flutterwave-X",
  sender_phone: "+254700000001",
  webhook_secret: "fake-flutterwave-secret-hash",
  bvn: "22222222222"
}

const ACCOUNT_HOURS = 24
const PAGE_SIZE = 10

const chargeDeclines = {
  declined_instrument: refused("Insufficient funds"),
  declined_provider: refused("Merchant is not enabled for this payment method")
}

const transferDeclines = {
  declined_instrument: refused("Sorry, recipient account could not be validated. Please try again"),
  declined_provider: refused("Insufficient balance in your wallet")
}

const declineOf = (declines: Partial<Record<Scenario, FakeReply>>, scenario: Scenario): FakeReply | undefined =>
  declines[scenario]

/** Maps every refusal of a refund to a fault of our own. */
const refundDeclines = {
  declined_instrument: transferDeclines.declined_provider,
  declined_provider: transferDeclines.declined_provider
}

const success = (message: string, data: unknown): FakeReply => answer({ status: "success", message, data })

const initiated = (parts: object): FakeReply => answer({ status: "success", message: "Charge initiated", ...parts })

interface Charge {
  readonly tx_ref: string
  readonly money: Money
  readonly kept: Record<string, unknown>
  readonly waits?: boolean
}

const FIRST_ID = 4_193_428

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { approve, books, now, take, url } = world

  const nextId = (): string => `${FIRST_ID + books.all().length}`

  const guarded =
    (run: FakeRoute["answer"]): FakeRoute["answer"] =>
    (request, scenario) =>
      request.headers["authorization"] === `Bearer ${credentials.secret_key}`
        ? run(request, scenario)
        : refused("Invalid authorization key", 401)

  /** A name that is used again is the name of another order. */
  const named = (kind: Entry["kind"], name: string): string => {
    let reference = name
    for (let count = 2; books.byReference(kind, reference) !== undefined; count += 1) reference = `${name} (${count})`
    return reference
  }

  const chargesOf = (tx_ref: string): ReadonlyArray<Entry> =>
    books.all().filter(({ kept, kind }) => kind === "payin" && kept["tx_ref"] === tx_ref)

  const charge = ({ kept, money, tx_ref, waits = false }: Charge): Entry =>
    take({ id: nextId(), reference: named("payin", tx_ref), kind: "payin", money, waits, kept: { ...kept, tx_ref } })

  const pageOf = ({ id }: Entry): string => `${url}/v3/hosted/pay/${id}`

  const bankCharge = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const body = yield* readBody(BankCharge, request)
        if (body.currency !== "NGN") return refused("currency should be NGN")
        const money = yield* moneyOf(body.amount, body.currency)
        const entry = charge({
          tx_ref: body.tx_ref,
          money,
          kept: { email: body.email, name: body.fullname, phone: body.phone_number, payment_type: "bank_transfer" }
        })
        const authorization = {
          transfer_reference: `MockFLWRef-${entry.id}`,
          transfer_account: (BigInt(`0x${sha256Hex(entry.reference)}`) % 10_000_000_000n).toString().padStart(10, "0"),
          transfer_bank: "Mock Bank",
          account_expiration: now().getTime() + (body.expires ?? ACCOUNT_HOURS * 3600) * 1000,
          transfer_note: "Mock note",
          transfer_amount: shortText(money),
          mode: "banktransfer"
        }
        return initiated({ meta: { authorization } })
      })
    )

  const mobileCharge = (type: string, request: FakeRequest): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const kind = mobileKinds.get(type)
        if (kind === undefined) return refused("invalid charge type")
        const body = yield* readBody(MobileCharge, request)
        const problem = mobileProblem(kind, body)
        if (problem !== undefined) return refused(problem)
        const entry = charge({
          tx_ref: body.tx_ref,
          money: yield* moneyOf(body.amount, body.currency),
          kept: {
            email: body.email,
            name: body.fullname,
            phone: body.phone_number,
            payment_type: type.replaceAll("_", ""),
            redirect_url: body.redirect_url
          },
          waits: kind.redirects
        })
        return kind.redirects
          ? initiated({ meta: { authorization: { redirect: pageOf(entry), mode: "redirect" } } })
          : initiated({
              data: transactionOf(entry),
              meta: { authorization: { mode: "callback", redirect_url: null } }
            })
      })
    )

  const page = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const body = yield* readBody(Page, request)
        const entry = charge({
          tx_ref: body.tx_ref,
          money: yield* moneyOf(body.amount, body.currency),
          kept: {
            email: body.customer.email,
            name: body.customer.name,
            phone: body.customer.phonenumber,
            payment_type: "card",
            redirect_url: body.redirect_url,
            isPage: true
          },
          waits: true
        })
        return success("Hosted Link", { link: pageOf(entry) })
      })
    )

  /** The customer pays by coming here, and is sent back as Flutterwave sends them. */
  const visit = ({ params }: FakeRequest): FakeReply => {
    const entry = books.byId(params["id"] ?? "")
    const back = entry?.kept["redirect_url"]
    if (entry === undefined) return refused("No transaction was found for this id", 404)
    approve(entry)
    if (typeof back !== "string") return { status: 200, body: "Thank you." }
    const location = new URL(back)
    location.searchParams.set("status", "pending")
    location.searchParams.set("tx_ref", String(entry.kept["tx_ref"]))
    location.searchParams.set("transaction_id", entry.id)
    return { status: 302, headers: { location: location.href }, body: "" }
  }

  /** An unpaid page has no transaction yet. */
  const verify = ({ query }: FakeRequest): FakeReply => {
    const tried = chargesOf(query.get("tx_ref") ?? "").filter(
      ({ kept, state }) => kept["isPage"] !== true || state !== "waiting"
    )
    const entry = tried.find(({ state }) => state === "completed") ?? tried.at(-1)
    return entry === undefined
      ? refused("No transaction was found for this id")
      : success("Transaction fetched successfully", transactionOf(entry))
  }

  const verifyById = ({ params }: FakeRequest): FakeReply => {
    const entry = books.byId(params["id"] ?? "")
    return entry?.kind === "payin"
      ? success("Transaction fetched successfully", transactionOf(entry))
      : refused("No transaction was found for this id")
  }

  /** A page of a list, the newest first. */
  const listed = (
    message: string,
    rows: ReadonlyArray<Entry>,
    show: (entry: Entry) => unknown,
    query: URLSearchParams
  ): FakeReply => {
    const current_page = Number(query.get("page") ?? "1")
    const page_info = { total: rows.length, current_page, total_pages: Math.ceil(rows.length / PAGE_SIZE) }
    const data = rows.toReversed().slice((current_page - 1) * PAGE_SIZE, current_page * PAGE_SIZE)
    return answer({ status: "success", message, meta: { page_info }, data: data.map(show) })
  }

  const isBetween = ({ createdAt }: Entry, query: URLSearchParams): boolean => {
    const day = createdAt.toISOString().slice(0, "2026-01-01".length)
    return (query.get("from") ?? "") <= day && day <= (query.get("to") ?? "9")
  }

  const transactions = ({ query }: FakeRequest): FakeReply => {
    const wanted = query.get("tx_ref")
    const found = (wanted === null ? books.all().filter(({ kind }) => kind === "payin") : chargesOf(wanted)).filter(
      (entry) =>
        entry.state !== "waiting" &&
        isBetween(entry, query) &&
        (query.get("status") === null || transactionOf(entry).status === query.get("status"))
    )
    return listed("Transactions fetched", found, listedTransaction, query)
  }

  const numbers = new Map<string, typeof AccountNumber.Type>()

  /** Each call makes another number. */
  const createNumber = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(readBody(AccountNumber, request), (body) => {
        const account_number = `78${`${numbers.size}`.padStart(8, "0")}`
        numbers.set(account_number, body)
        return success("Virtual account created", {
          response_code: "02",
          response_message: "Transaction in progress",
          flw_ref: `FLW-${sha256Hex(account_number).slice(0, 32)}`,
          order_ref: `URF_${account_number}`,
          account_number,
          frequency: "N/A",
          bank_name: "WEMA BANK",
          created_at: now().toISOString(),
          expiry_date: "N/A",
          note: `Please make a bank transfer to ${body.narration ?? "Corridor"}`,
          amount: null
        })
      })
    )

  const bankTransfer = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const { account_number, amount, currency = "NGN", sender } = yield* readBody(BankTransfer, request)
        const number = numbers.get(account_number)
        const { id } = charge({
          tx_ref: number?.tx_ref ?? "account-of-somebody-else",
          money: yield* moneyOf(amount, currency),
          kept: {
            email: number?.email ?? "unknown@example.com",
            payment_type: "bank_transfer",
            meta: { originatoraccountnumber: "123*******90", originatorname: sender, bankname: "Mock Bank" }
          }
        })
        return success("Sent", { id })
      })
    )

  const transfer = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const body = yield* readBody(Transfer, request)
        const money = yield* moneyOf(body.amount, body.currency)
        if (books.byReference("payout", body.reference) !== undefined) {
          return refused("Transfer with this reference already exists")
        }
        if (body.beneficiary_name === undefined) return refused("beneficiary_name is required")
        if (body.currency === "KES" && body.meta === undefined) return refused("Sender is required!")
        const decline = declineOf(transferDeclines, scenario)
        if (decline !== undefined) return decline
        const { amount: _amount, callback_url, ...kept } = body
        const entry = take({
          id: nextId(),
          reference: body.reference,
          kind: "payout",
          money,
          kept: { ...kept, ...(callback_url === undefined ? {} : { callbackUrl: callback_url }) }
        })
        return success("Transfer Queued Successfully", transferOf(entry))
      })
    )

  const transfers = ({ query }: FakeRequest): FakeReply => {
    const wanted = query.get("reference")
    const found = books
      .all()
      .filter(({ kind, reference }) => kind === "payout" && (wanted === null || reference === wanted))
    const page_info = { total: found.length, current_page: 1, total_pages: 1 }
    return answer({
      status: "success",
      message: "Transfers fetched",
      meta: { page_info },
      data: found.map(transferOf)
    })
  }

  const refund = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.gen(function* () {
        const decline = declineOf(refundDeclines, scenario)
        if (decline !== undefined) return decline
        const paid = books.byId(request.params["id"] ?? "")
        if (paid?.kind !== "payin" || paid.state !== "completed")
          return refused("Transaction not found or not successful")
        const body = yield* readBody(Refund, request)
        const money = yield* moneyOf(body.amount, paid.moved.currency)
        const given = books
          .all()
          .filter(({ kind, of, state }) => kind === "refund" && of === paid.id && state !== "failed")
        const left = given.reduce((rest, { asked }) => rest - asked.minor, paid.moved.minor)
        if (money.minor > left) return refused("Refund amount is more than what is left of the transaction")
        const id = nextId()
        const entry = take({
          id,
          // Comparison in tests; Flutterwave does not interpret comments.
          reference: named("refund", body.comments?.split(" ")[0] ?? id),
          kind: "refund",
          money,
          of: paid.id,
          kept: { comments: body.comments }
        })
        return success("Transaction refund initiated", refundOf(entry))
      })
    )

  const shown =
    (kind: Entry["kind"], what: string, show: (entry: Entry) => unknown): FakeRoute["answer"] =>
    ({ params }) => {
      const entry = books.byId(params["id"] ?? "")
      return entry?.kind === kind ? success(`${what} fetched`, show(entry)) : refused(`${what} not found`, 404)
    }

  return [
    {
      method: "POST",
      path: "/v3/charges",
      moves: (request) => moneyIn(request),
      answer: guarded((request, scenario) => {
        const type = request.query.get("type") ?? ""
        return (
          declineOf(chargeDeclines, scenario) ??
          (type === "bank_transfer" ? bankCharge(request) : mobileCharge(type, request))
        )
      })
    },
    { method: "POST", path: "/v3/payments", moves: (request) => moneyIn(request), answer: guarded(page) },
    { method: "GET", path: "/v3/hosted/pay/:id", answer: visit },
    { method: "POST", path: "/v3/virtual-account-numbers", answer: guarded(createNumber) },
    { method: "POST", path: "/demo-bank/transfers", answer: guarded(bankTransfer) },
    { method: "GET", path: "/v3/transactions", answer: guarded(transactions) },
    { method: "GET", path: "/v3/transactions/verify_by_reference", answer: guarded(verify) },
    { method: "GET", path: "/v3/transactions/:id/verify", answer: guarded(verifyById) },
    {
      method: "POST",
      path: "/v3/transactions/:id/refund",
      moves: (request) => moneyIn(request, books.byId(request.params["id"] ?? "")?.moved.currency),
      answer: guarded(refund)
    },
    {
      method: "GET",
      path: "/v3/refunds",
      answer: guarded(({ query }) => {
        const refunds = books.all().filter(({ kind }) => kind === "refund")
        return listed("Refunds fetched", refunds, listedRefundOf, query)
      })
    },
    { method: "GET", path: "/v3/chargebacks", answer: guarded(() => success("Chargebacks fetched", [])) },
    { method: "GET", path: "/v3/refunds/:id", answer: guarded(shown("refund", "Refund", listedRefundOf)) },
    { method: "POST", path: "/v3/transfers", moves: (request) => moneyIn(request), answer: guarded(transfer) },
    { method: "GET", path: "/v3/transfers", answer: guarded(transfers) },
    { method: "GET", path: "/v3/transfers/:id", answer: guarded(shown("payout", "Transfer", transferOf)) },
    {
      method: "GET",
      path: "/v3/balances",
      answer: guarded(() =>
        success("Wallet balances fetched", [{ currency: "NGN", available_balance: 0, ledger_balance: 0 }])
      )
    }
  ]
}

/** Reports ends only, and of refunds nothing that names them by anything of ours. */
const callbackOf = (entry: Entry): FakeCallback | undefined => {
  if (entry.kind === "refund" || entry.state === "processing" || entry.state === "waiting") return undefined
  const isPayout = entry.kind === "payout"
  return {
    headers: { "content-type": "application/json", "verif-hash": credentials.webhook_secret },
    body: stringifyWire({
      event: isPayout ? "transfer.completed" : "charge.completed",
      data: isPayout ? transferOf(entry) : transactionOf(entry)
    })
  }
}

export const flutterwaveFake: Fake = { name: "flutterwave", credentials, routes, callbackOf }
