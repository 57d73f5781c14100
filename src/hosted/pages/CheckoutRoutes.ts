/** `/checkout/{payment_id}?t=…`: each action is a form post that redirects back to the page. */
import { Clock, Effect, Either, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { type Outgoing, alsoByHead, type Incoming, type Route } from "../../platform/http/Route.ts"
import { type CardField, cardOf } from "./CardForm.ts"
import {
  cardPage,
  calledOffPage,
  confirmPage,
  notFoundPage,
  onwardPage,
  outcomePage,
  type ReceiptAnswer,
  waitingPage,
  returnAddress
} from "./CheckoutPage.ts"
import { Checkout, type Visit } from "./Checkout.ts"
import { browserOf, makeReadForm, orRefusedPage } from "./FormBody.ts"
import { type Reader, readerOf } from "./PageText.ts"
import { type Page, pageReply, redirectReply } from "./PageLayout.ts"
import { CustomerRedirect } from "../../payments/callbacks/CustomerRedirect.ts"
import { CheckoutUrl } from "../../payments/route/BuildOrder.ts"
import { SendReceipt } from "./SendReceipt.ts"
import { traced } from "../../platform/observability/Spans.ts"

const untroubled = { problems: [], notice: undefined }

const asksNumber = ({ stage }: Visit): boolean => stage._tag === "GiveCard" && stage.asksNumber

const tokenIn = ({ query }: Incoming): string => (typeof query["t"] === "string" ? query["t"] : "")

/** Relative, so that it works behind any proxy. */
const thisPage = (token: string): string => `?t=${encodeURIComponent(token)}`

const RECEIPT = "receipt"

const receiptAnswer = ({ query }: Incoming): ReceiptAnswer =>
  query[RECEIPT] === "sent" || query[RECEIPT] === "failed" ? query[RECEIPT] : undefined

/** Visitors from a mailed receipt see it instead of being redirected. */
const asksForReceipt = ({ query }: Incoming): boolean => query[RECEIPT] !== undefined

const replyTo = (visit: Visit, reader: Reader, status: number, page: Page): Outgoing =>
  pageReply(status, reader, {
    ...page,
    site: visit.merchant,
    color: visit.color,
    pictured: visit.logo !== undefined
  })

/**
 * Browsers apply the page's form-action policy to all redirects after a form. After a form, the page itself therefore
 * leads to the merchant.
 */
const comesFromForm = ({ query }: Incoming): boolean => query["sent"] !== undefined

const shown = (visit: Visit, incoming: Incoming): Outgoing => {
  const reader = readerOf(incoming)
  const { words } = reader
  const here = thisPage(tokenIn(incoming))
  switch (visit.stage._tag) {
    case "Confirm":
      return replyTo(visit, reader, 200, confirmPage(visit, words))
    case "GiveCard":
      return replyTo(visit, reader, 200, cardPage(visit, words, { ...untroubled, asksNumber: visit.stage.asksNumber }))
    case "Onward": {
      const page = { address: here, provider: visit.stage.address, atOnce: comesFromForm(incoming) }
      return replyTo(visit, reader, 200, onwardPage(visit, words, page))
    }
    case "Wait":
      return replyTo(visit, reader, 200, waitingPage(visit, words, here))
    case "CalledOff":
      return replyTo(visit, reader, 200, calledOffPage(visit, words, here))
    case "Over": {
      const address = returnAddress(visit.payment)
      return address === null || comesFromForm(incoming) || asksForReceipt(incoming)
        ? replyTo(visit, reader, 200, outcomePage(visit, words, receiptAnswer(incoming)))
        : redirectReply(address)
    }
  }
}

/** Query parameters added by the provider. */
const broughtBy = ({ query }: Incoming): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === "string" && name !== "t" ? [[name, value]] : []))
  )

export const checkoutRoutes = Effect.gen(function* () {
  const checkout = yield* Checkout
  const { resumePayment } = yield* CustomerRedirect
  const receipts = yield* SendReceipt
  const readForm = yield* makeReadForm
  const checkoutUrl = yield* CheckoutUrl
  const { trustProxy } = yield* Settings

  const withVisit = <E>(incoming: Incoming, answer: (visit: Visit) => Effect.Effect<Outgoing, E>) =>
    Effect.flatMap(
      checkout.open(incoming.params["payment_id"] ?? "", tokenIn(incoming)),
      Option.match({
        onNone: () => {
          const reader = readerOf(incoming)
          return Effect.succeed(pageReply(404, reader, notFoundPage(reader.words)))
        },
        onSome: answer
      })
    )

  const givenCard = Effect.fnUntraced(function* (
    visit: Visit,
    form: URLSearchParams,
    incoming: Incoming,
    back: Outgoing
  ) {
    const reader = readerOf(incoming)
    const { words } = reader
    const again = (status: number, about: { readonly problems: ReadonlyArray<CardField>; readonly notice?: string }) =>
      replyTo(
        visit,
        reader,
        status,
        cardPage(visit, words, { asksNumber: asksNumber(visit), notice: undefined, ...about })
      )
    const card = asksNumber(visit) ? cardOf(form, new Date(yield* Clock.currentTimeMillis)) : Either.right(null)
    if (Either.isLeft(card)) return again(400, { problems: card.left })
    const answer = yield* checkout.payWithCard(visit, card.right, browserOf(incoming, trustProxy))
    if (answer !== "no_route") return back
    return again(503, { problems: [], notice: words.notNow })
  })

  const submitted = Effect.fnUntraced(function* (visit: Visit, incoming: Incoming) {
    const form = yield* readForm(incoming)
    const action = form.get("action")
    const back = redirectReply(`${thisPage(tokenIn(incoming))}&sent=1`)
    if (action === "receipt") {
      const { words } = readerOf(incoming)
      const answer = yield* receipts(visit, words, `${checkoutUrl(visit.payment.payment_id)}&${RECEIPT}=shown`)
      return redirectReply(`${thisPage(tokenIn(incoming))}&sent=1&${RECEIPT}=${answer}`)
    }
    if (action === "cancel") return yield* Effect.as(checkout.cancel(visit), back)
    if (action !== "pay") return back
    if (visit.stage._tag === "GiveCard") return yield* givenCard(visit, form, incoming, back)
    return yield* Effect.as(checkout.pay(visit), back)
  })

  const path = "/checkout/:payment_id"
  const routes: ReadonlyArray<Route> = [
    {
      method: "GET",
      path,
      handle: traced("CheckoutRoute.show")((incoming) =>
        withVisit(incoming, (visit) => Effect.succeed(shown(visit, incoming)))
      )
    },
    {
      method: "GET",
      path: `${path}/return`,
      handle: traced("CheckoutRoute.resumePayment")((incoming) =>
        withVisit(incoming, ({ payment }) =>
          Effect.as(
            resumePayment(payment, broughtBy(incoming)),
            redirectReply(`../${payment.payment_id}${thisPage(tokenIn(incoming))}`)
          )
        )
      )
    },
    {
      method: "POST",
      path,
      handle: traced("CheckoutRoute.submit")((incoming) =>
        orRefusedPage(
          incoming,
          withVisit(incoming, (visit) => submitted(visit, incoming))
        )
      )
    }
  ]
  return alsoByHead(routes)
})
