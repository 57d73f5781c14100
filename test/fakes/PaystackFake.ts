/** A Paystack to try the service with: it checks, remembers and calls back as the real one does, and moves no money. */
import { stringify } from "lossless-json"
import type { Dispute, Fake, FakeCallback, FakeDisputes, FakeRoute, FakeWorld, FakeReply } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import {
  codeWith,
  disputeOf,
  fine,
  number,
  refundOf,
  listedRefund,
  refundOfDispute,
  transactionOf,
  transferOf,
  answer,
  bodyAs,
  Charge,
  Initialize,
  moneyIn,
  numericId,
  Password,
  refusal,
  Recipient,
  Transfer,
  RefundBody,
  credentials,
  guarded,
  duplicate,
  failedAtOnce,
  found,
  movedBy,
  reading,
  duplicateTransfer
} from "./PaystackFakeBodies.ts"
import { dedicatedAccounts } from "./PaystackFakeAccounts.ts"
import { signatureOf } from "../../src/providers/paystack/PaystackCallbacks.ts"

/**
 * Collections at the fake of Paystack: on a page of its own, from a phone, or by a transfer to an account that it
 * names.
 */

/** The one-time password that the fake's customers of Telecel know. */
export const FAKE_PASSWORD = "123456"

const readInitialize = bodyAs(Initialize)
const readCharge = bodyAs(Charge)
const readPassword = bodyAs(Password)

const plain = (status: number, body: string): FakeReply => ({ status, headers: { "content-type": "text/plain" }, body })

const stepOf = (entry: Entry) => {
  const { reference } = entry
  if (entry.state === "completed") return transactionOf(entry)
  switch (entry.kept.asks) {
    case "password":
      return { reference, status: "send_otp", display_text: "Please enter the OTP" }
    case "transfer":
      return {
        reference,
        status: "pending_bank_transfer",
        display_text: "Please make a transfer to the account specified",
        account_name: "CORRIDOR FAKE ACCOUNT",
        account_number: numericId(reference).slice(0, 10),
        bank: { slug: "test-bank", name: "Test Bank", id: 24 },
        account_expires_at: entry.kept.expiresAt
      }
    default:
      return { reference, status: "pay_offline", display_text: "Please complete the authorisation on your phone" }
  }
}

export const payins = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world
  const pages = new Map<string, string>()

  const initialize = reading(readInitialize, (body, scenario) => {
    if (books.byReference("payin", body.reference) !== undefined) return duplicate
    if (scenario === "declined_provider") return refusal("Currency not supported by merchant", "unsupported_currency")
    const accessCode = codeWith("", body.reference)
    pages.set(accessCode, body.reference)
    world.take({
      id: numericId(body.reference),
      reference: body.reference,
      kind: "payin",
      money: moneyIn(body.amount, body.currency),
      waits: true,
      kept: { channel: "card", email: body.email, back: body.callback_url }
    })
    return fine("Authorization URL created", {
      authorization_url: `${world.url}/checkout/${accessCode}`,
      access_code: accessCode,
      reference: body.reference
    })
  })

  /** Takes or, by the magic amount, refuses the card, and redirects the customer back. */
  const page: FakeRoute["answer"] = ({ params }) => {
    const entry = books.byReference("payin", pages.get(params.code ?? "") ?? "")
    if (entry === undefined) return plain(404, "No such page")
    if (entry.state === "waiting" && entry.scenario === "declined_instrument") {
      entry.state = "failed"
      entry.reason = "Declined"
    }
    if (entry.state === "waiting") world.approve(entry)
    if (typeof entry.kept.back !== "string") return plain(200, "Thank you")
    const back = new URL(entry.kept.back)
    back.searchParams.set("trxref", entry.reference)
    back.searchParams.set("reference", entry.reference)
    return { status: 302, headers: { location: back.toString() } }
  }

  const charge = reading(readCharge, (body, scenario) => {
    const { mobile_money: mobile, reference } = body
    if (books.byReference("payin", reference) !== undefined) return duplicate
    if (scenario === "declined_provider") return refusal("Channel not available for merchant", "unsupported_channel")
    const money = moneyIn(body.amount, body.currency)
    const asksPassword = mobile?.provider === "vod"
    const asks = mobile === undefined ? "transfer" : asksPassword ? "password" : "approval"
    const order = {
      id: numericId(reference),
      reference,
      kind: "payin" as const,
      kept: {
        channel: mobile === undefined ? "bank_transfer" : "mobile_money",
        email: body.email,
        asks,
        expiresAt: body.bank_transfer?.account_expires_at
      }
    }
    if (scenario === "declined_instrument") {
      const failed = transactionOf(failedAtOnce(world, order, money, scenario))
      return answer(400, { status: false, message: "Charge attempted", data: failed })
    }
    return fine("Charge attempted", stepOf(world.take({ ...order, money, waits: asksPassword })))
  })

  const submitPassword = reading(readPassword, ({ otp, reference }) => {
    const entry = books.byReference("payin", reference)
    if (entry?.state !== "waiting" || entry.kept.asks !== "password") {
      return answer(400, { status: false, message: "Transaction reference is invalid" })
    }
    if (otp !== FAKE_PASSWORD) return fine("Charge attempted", stepOf(entry))
    world.approve(entry)
    return fine("Charge attempted", { reference, status: "pending" })
  })

  return [
    { method: "POST", path: "/transaction/initialize", moves: movedBy(readInitialize), answer: initialize },
    { method: "GET", path: "/checkout/:code", answer: page },
    {
      method: "GET",
      path: "/transaction/verify/:reference",
      answer: guarded(({ params }) => {
        const entry = books.byReference("payin", params.reference ?? "")
        return found(entry, "Verification successful", transactionOf, "Transaction reference not found")
      })
    },
    { method: "POST", path: "/charge", moves: movedBy(readCharge), answer: charge },
    { method: "POST", path: "/charge/submit_otp", answer: submitPassword }
  ]
}

/** Payouts at the fake of Paystack: to recipients that were made before, from a balance that is never empty. */
const readRecipient = bodyAs(Recipient)
const readTransfer = bodyAs(Transfer)

export const payouts = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world
  const recipients = new Set<string>()

  const createRecipient = reading(readRecipient, (body) => {
    const code = codeWith("RCP_", `${body.bank_code} ${body.account_number}`)
    recipients.add(code)
    const at = world.now().toISOString()
    return fine(
      "Transfer recipient created successfully",
      {
        active: true,
        createdAt: at,
        currency: body.currency,
        domain: "test",
        id: number(numericId(code)),
        integration: 1,
        name: body.name,
        recipient_code: code,
        type: body.type,
        updatedAt: at,
        is_deleted: false,
        details: {
          authorization_code: null,
          account_number: body.account_number,
          account_name: null,
          bank_code: body.bank_code,
          bank_name: body.bank_code
        }
      },
      201
    )
  })

  const transfer = reading(readTransfer, (body, scenario) => {
    if (books.byReference("payout", body.reference) !== undefined) return duplicateTransfer
    if (!recipients.has(body.recipient)) {
      return refusal("Recipient specified is invalid", "invalid_transfer_recipient")
    }
    if (scenario === "declined_provider") {
      return refusal("Your balance is not enough to fulfil this request", "insufficient_balance")
    }
    const money = moneyIn(body.amount, body.currency)
    const order = {
      id: codeWith("TRF_", body.reference),
      reference: body.reference,
      kind: "payout" as const,
      kept: { recipient: body.recipient, reason: body.reason }
    }
    const entry =
      scenario === "declined_instrument" ? failedAtOnce(world, order, money, scenario) : world.take({ ...order, money })
    return fine("Transfer has been queued", transferOf(entry))
  })

  return [
    { method: "POST", path: "/transferrecipient", answer: createRecipient },
    { method: "POST", path: "/transfer", moves: movedBy(readTransfer), answer: transfer },
    {
      method: "GET",
      path: "/transfer/verify/:reference",
      answer: guarded(({ params }) => {
        const entry = books.byReference("payout", params.reference ?? "")
        return found(entry, "Transfer retrieved", transferOf, "Transfer not found")
      })
    }
  ]
}

/** The dispute that is kept with a payin. */
const disputeAbout = (entry: Entry | undefined) => entry?.kept["dispute"] as Dispute | undefined

/** Refunds at the fake of Paystack. */
const readRefund = bodyAs(RefundBody)

export const refunds = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world

  const leftOf = (entry: Entry): bigint =>
    books
      .all()
      .filter((one) => one.of === entry.id && one.state !== "failed")
      .reduce((left, one) => left - one.asked.minor, entry.moved.minor)

  const refund = reading(readRefund, (body, scenario) => {
    const paid = books.byReference("payin", body.transaction) ?? books.byId(body.transaction)
    if (paid?.state !== "completed") return refusal("Transaction has not been paid", "transaction_not_found")
    if (scenario === "declined_provider" || scenario === "declined_instrument") {
      return refusal("Your balance is not enough to fulfil this request", "insufficient_balance")
    }
    const money = body.amount === undefined ? paid.moved : moneyIn(body.amount, paid.asked.currency)
    if (money.minor > leftOf(paid)) {
      return refusal("The refund is more than is left of the transaction", "invalid_params")
    }
    // A note is no idempotency key: the same refund sent twice is paid twice, as at Paystack.
    const name = `${body.merchant_note ?? "refund"}`
    const reference = books.byReference("refund", name) === undefined ? name : `${name} ${books.all().length}`
    const entry = world.take({
      id: numericId(`refund ${reference}`),
      reference,
      kind: "refund",
      money,
      of: paid.id,
      kept: { merchantNote: body.merchant_note ?? "", customerNote: body.customer_note ?? "" }
    })
    return fine("Refund has been queued for processing", refundOf(entry, paid))
  })

  const shapeOfRefund = (entry: Entry) => listedRefund(refundOf(entry, books.byId(entry.of ?? "") ?? entry))

  const pageOf = <A>(all: ReadonlyArray<A>, query: URLSearchParams) => {
    const [page, perPage] = [Number(query.get("page") ?? "1"), Number(query.get("perPage") ?? "50")]
    return all.slice((page - 1) * perPage, page * perPage)
  }

  const listRefunds = guarded(({ query }) => {
    const [from, to] = [query.get("from"), query.get("to")].map((at) => (at === null ? undefined : new Date(at)))
    const within = ({ createdAt }: Entry) =>
      (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to)
    const transaction = query.get("transaction")
    const isOf = ({ of }: Pick<Entry, "of">) => transaction === null || of === transaction
    const all = books.all().filter(within)
    const some = all.filter((entry) => entry.kind === "refund" && isOf(entry)).map(shapeOfRefund)
    const lost = all.flatMap((entry) => {
      const dispute = disputeAbout(entry)
      return dispute?.stage === "lost" && isOf({ of: entry.id }) ? [refundOfDispute(dispute)] : []
    })
    return fine("Refunds retrieved", pageOf([...some, ...lost], query))
  })

  return [
    { method: "POST", path: "/refund", moves: movedBy(readRefund), answer: refund },
    { method: "GET", path: "/refund", answer: listRefunds },
    {
      method: "GET",
      path: "/refund/:id",
      answer: guarded(({ params }) => {
        const entry = books.byId(params.id ?? "")
        const refunded = entry?.kind === "refund" ? entry : undefined
        return found(refunded, "Refund retrieved", shapeOfRefund, "Refund not found")
      })
    }
  ]
}

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const balances = guarded(() => {
    const held = [...new Map([["NGN", 0n], ...world.books.holdings()])]
    return fine(
      "Balances retrieved",
      held.map(([currency, minor]) => ({ currency, balance: number(minor) }))
    )
  })
  const disputesOf = guarded(({ params }) => {
    const dispute = disputeAbout(world.books.byId(params["id"] ?? ""))
    return fine("Dispute retrieved", dispute === undefined ? [] : [disputeOf(dispute)])
  })
  return [
    ...payins(world),
    ...payouts(world),
    ...refunds(world),
    ...dedicatedAccounts(world),
    { method: "GET", path: "/dispute/transaction/:id", answer: disputesOf },
    { method: "GET", path: "/balance", answer: balances }
  ]
}

const eventOf = (entry: Entry, world: FakeWorld): { readonly event: string; readonly data: unknown } | undefined => {
  switch (entry.kind) {
    case "payin":
      // Failed orders send no callback, as at Paystack.
      return entry.state === "completed" ? { event: "charge.success", data: transactionOf(entry) } : undefined
    case "payout": {
      const data = transferOf(entry)
      return entry.state === "completed" || entry.state === "failed" || entry.state === "returned"
        ? { event: `transfer.${data.status}`, data }
        : undefined
    }
    case "refund": {
      const paid = world.books.byId(entry.of ?? "") ?? entry
      return eventOfRefund(refundOf(entry, paid), paid)
    }
  }
}

/** Carries neither the id nor the note; the reference is the processor's. */
const eventOfRefund = (
  { amount, currency, domain, id, integration, status }: Omit<ReturnType<typeof refundOf>, "transaction">,
  paid: Entry
) => ({
  event: `refund.${status}`,
  data: {
    status,
    transaction_reference: paid.reference,
    refund_reference: status === "pending" ? null : codeWith("TRF_", `${id}`),
    amount: `${amount}`,
    currency,
    processor: "instant-transfer",
    customer: { first_name: null, last_name: null, email: paid.kept.email },
    integration,
    domain
  }
})

const signed = (event: { readonly event: string; readonly data: unknown }): FakeCallback => {
  const body = stringify(event) ?? ""
  return {
    headers: {
      "content-type": "application/json",
      "x-paystack-signature": signatureOf(credentials.secret_key, body)
    },
    body
  }
}

const callbackOf = (entry: Entry, world: FakeWorld): FakeCallback | undefined => {
  const event = eventOf(entry, world)
  return event === undefined ? undefined : signed(event)
}

/** Withdraws disputed money when the merchant gives in, and nothing where its evidence is accepted. */
const disputes: FakeDisputes = {
  takes: "when lost",
  callbacksOf: (dispute) => {
    dispute.of.kept["dispute"] = dispute
    const event = dispute.stage === "opened" ? "charge.dispute.create" : "charge.dispute.resolve"
    const said = signed({ event, data: disputeOf(dispute) })
    return dispute.stage === "lost" ? [said, signed(eventOfRefund(refundOfDispute(dispute), dispute.of))] : [said]
  }
}

export const paystackFake: Fake = { name: "paystack", credentials, routes, callbackOf, disputes }
