/** Visiting the hosted checkout the way a browser without scripts does. */
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { CheckoutUrl } from "../../../src/payments/route/ProviderOrder.ts"
import { act, setThreshold } from "../../payments/support/Acting.ts"
import { initiate } from "../../payments/support/Calls.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { people } from "../../support/Credentials.ts"
import { send } from "../../support/Send.ts"

export const redirecting = "4000000000003220"

export const pathOf = (url: unknown): string => {
  const { pathname, search } = new URL(String(url))
  return `${pathname}${search}`
}

/** Of any payment, whether or not anyone was given the address. */
export const checkoutOf = (paymentId: PaymentId) => Effect.map(CheckoutUrl, (urlOf) => pathOf(urlOf(paymentId)))

export const visit = (path: string, headers: Readonly<Record<string, string>> = {}) => send(path, { headers })

export const submit = (
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) =>
  send(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString()
  })

/** A payment that sends its customer to the hosted checkout. */
export const atCheckout = (about: object = {}) =>
  Effect.map(initiate({ ...byCard(redirecting), ...about }), ({ payment_id, response }) => ({
    payment_id,
    path: pathOf(response["redirect_url"])
  }))

/** A card payment that was held and approved: its card is gone, and its customer is asked for one. */
export const withoutCard = (about: object = {}) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    yield* setThreshold(acme.org_id, "1000")
    const held = yield* Effect.ensuring(initiate({ ...byCard(), ...about }), setThreshold(acme.org_id, null))
    const approved = yield* act(held.payment_id, { action: "review" }, acme.token("staff"))
    return { payment_id: held.payment_id, path: pathOf(approved.response["redirect_url"]) }
  })

export const typedCard = (number = "4242 4242 4242 4242") => ({
  action: "pay",
  number,
  expiry: "12/30",
  cvv: "123",
  holder: "Wanjiru Kamau"
})
