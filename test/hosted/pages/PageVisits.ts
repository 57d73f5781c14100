/** Visiting the hosted checkout the way a browser without scripts does. */
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { CheckoutUrl } from "../../../src/payments/route/BuildOrder.ts"
import { act, setThreshold } from "../../payments/support/ActionCalls.ts"
import { initiate } from "../../payments/support/PaymentCalls.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"

export const redirecting = "4000000000003220"

export const pathOf = (url: unknown): string => {
  const { pathname, search } = new URL(String(url))
  return `${pathname}${search}`
}

/** Checkout address of any payment, whether or not a caller has it. */
export const checkoutOf = (paymentId: PaymentId) => Effect.map(CheckoutUrl, (urlOf) => pathOf(urlOf(paymentId)))

type Headers = Readonly<Record<string, string>>
type Fields = Readonly<Record<string, string>>

const COOKIE = /^(\w+)=([^;]*); Path=(\/pay\/\w+);/

/** A browser without scripts, which keeps the cookies of payment links for their own pages. */
export const newBrowser = () => {
  const kept: Array<{ readonly name: string; readonly value: string; readonly path: string }> = []
  const cookiesFor = (path: string): Headers => {
    const mine = kept.filter((one) => path === one.path || /^[/?]/.test(path.slice(one.path.length)))
    const sent = mine.filter((one) => path.startsWith(one.path)).map(({ name, value }) => `${name}=${value}`)
    return sent.length === 0 ? {} : { cookie: sent.join("; ") }
  }
  const asked = (path: string, about: NonNullable<Parameters<typeof send>[1]>) =>
    Effect.tap(send(path, { ...about, headers: { ...cookiesFor(path), ...about.headers } }), ({ headers }) => {
      const [, name, value, at] = COOKIE.exec(String(headers["set-cookie"] ?? "")) ?? []
      if (name !== undefined && value !== undefined && at !== undefined) kept.push({ name, value, path: at })
    })
  return {
    visit: (path: string, headers: Headers = {}) => asked(path, { headers }),
    submit: (path: string, fields: Fields, headers: Headers = {}) =>
      asked(path, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(fields).toString()
      })
  }
}

/** The browser of all payers who are not about others. */
export const { submit, visit } = newBrowser()

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
