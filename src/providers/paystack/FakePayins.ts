/** How the fake of Paystack collects: on a page of its own, from a phone, or by a transfer to an account that it names. */
import type { FakeReply, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import {
  answer,
  bodyAs,
  Charge,
  codeWith,
  fine,
  Initialize,
  moneyIn,
  numericId,
  Password,
  refusal,
  transactionOf
} from "./FakeBodies.ts"
import { duplicate, failedAtOnce, found, guarded, movedBy, reading } from "./FakeDesk.ts"

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

  const initialize = reading(readInitialize, (body, fate) => {
    if (books.byReference("payin", body.reference) !== undefined) return duplicate
    if (fate === "declined_provider") return refusal("Currency not supported by merchant", "unsupported_currency")
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

  /** The customer's card is taken or, by the amount's fate, refused; then the customer goes back to where they came from. */
  const page: FakeRoute["answer"] = ({ params }) => {
    const entry = books.byReference("payin", pages.get(params.code ?? "") ?? "")
    if (entry === undefined) return plain(404, "No such page")
    if (entry.state === "waiting" && entry.fate === "declined_instrument") {
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

  const charge = reading(readCharge, (body, fate) => {
    const { mobile_money: mobile, reference } = body
    if (books.byReference("payin", reference) !== undefined) return duplicate
    if (fate === "declined_provider") return refusal("Channel not available for merchant", "unsupported_channel")
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
    if (fate === "declined_instrument") {
      const failed = transactionOf(failedAtOnce(world, order, money, fate))
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
