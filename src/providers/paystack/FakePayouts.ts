/** How the fake of Paystack pays: to recipients that were made before, from a balance that is never empty. */
import type { FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import {
  bodyAs,
  codeWith,
  fine,
  moneyIn,
  number,
  numericId,
  Recipient,
  refusal,
  Transfer,
  transferOf
} from "./FakeBodies.ts"
import { duplicateTransfer, failedAtOnce, found, guarded, movedBy, reading } from "./FakeDesk.ts"

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

  const transfer = reading(readTransfer, (body, fate) => {
    if (books.byReference("payout", body.reference) !== undefined) return duplicateTransfer
    if (!recipients.has(body.recipient)) {
      return refusal("Recipient specified is invalid", "invalid_transfer_recipient")
    }
    if (fate === "declined_provider") {
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
      fate === "declined_instrument" ? failedAtOnce(world, order, money, fate) : world.take({ ...order, money })
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
