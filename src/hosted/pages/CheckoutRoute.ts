/** `/checkout/{payment_id}?t=…`: every act of the customer is a form, and leads back to the page as it then is. */
import { Clock, Effect, Either, Option } from "effect"
import type { Outgoing } from "../../platform/http/Outgoing.ts"
import type { Incoming, Route } from "../../platform/http/Route.ts"
import { cardOf } from "./CardForm.ts"
import { cardPage } from "./CardPage.ts"
import { Checkout, type Visit } from "./Checkout.ts"
import { calledOffPage, confirmPage, notFoundPage, outcomePage, refusedPage, waitingPage } from "./CheckoutPage.ts"
import { readForm } from "./FormBody.ts"
import { wordsFor } from "./Language.ts"
import { pageReply, redirectReply } from "./Layout.ts"
import { Resume } from "../../payments/callbacks/Resume.ts"
import { returnAddress } from "./ReturnAddress.ts"
import type { Words } from "./Words.ts"

const untroubled = { problems: [], notice: undefined }

const wordsOf = ({ request }: Incoming): Words => wordsFor(request.headers["accept-language"])

const tokenIn = ({ query }: Incoming): string => (typeof query["t"] === "string" ? query["t"] : "")

/** Relative, so that it holds behind any proxy. */
const thisPage = (token: string): string => `?t=${encodeURIComponent(token)}`

const afterForm = (token: string): string => `${thisPage(token)}&sent=1`

/**
 * A browser holds every redirect that follows a form to the page's form-action, however many there are. A customer who
 * comes straight from a form is therefore led out by a page, not by a redirect.
 */
const comesFromForm = ({ query }: Incoming): boolean => query["sent"] !== undefined

const shown = (visit: Visit, incoming: Incoming): Outgoing => {
  const words = wordsOf(incoming)
  switch (visit.stage._tag) {
    case "Confirm":
      return pageReply(200, words, confirmPage(visit, words))
    case "GiveCard":
      return pageReply(200, words, cardPage(visit, words, untroubled))
    case "Wait":
      return pageReply(200, words, waitingPage(visit, words, thisPage(tokenIn(incoming))))
    case "CalledOff":
      return pageReply(200, words, calledOffPage(visit, words, thisPage(tokenIn(incoming))))
    case "Over": {
      const address = returnAddress(visit.payment)
      return address === null || comesFromForm(incoming)
        ? pageReply(200, words, outcomePage(visit, words))
        : redirectReply(address)
    }
  }
}

/** What the provider put into the address, and not what we did. */
const broughtBy = ({ query }: Incoming): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === "string" && name !== "t" ? [[name, value]] : []))
  )

export const checkoutRoutes = Effect.gen(function* () {
  const checkout = yield* Checkout
  const { comeBack } = yield* Resume

  const withVisit = <E>(incoming: Incoming, answer: (visit: Visit) => Effect.Effect<Outgoing, E>) =>
    Effect.flatMap(
      checkout.open(incoming.params["payment_id"] ?? "", tokenIn(incoming)),
      Option.match({
        onNone: () => {
          const words = wordsOf(incoming)
          return Effect.succeed(pageReply(404, words, notFoundPage(words)))
        },
        onSome: answer
      })
    )

  const givenCard = Effect.fnUntraced(function* (visit: Visit, form: URLSearchParams, words: Words, back: Outgoing) {
    const card = cardOf(form, new Date(yield* Clock.currentTimeMillis))
    if (Either.isLeft(card)) {
      return pageReply(400, words, cardPage(visit, words, { problems: card.left, notice: undefined }))
    }
    const answer = yield* checkout.payWithCard(visit, card.right)
    if (answer !== "no_route") return back
    return pageReply(503, words, cardPage(visit, words, { problems: [], notice: words.notNow }))
  })

  const submitted = Effect.fnUntraced(function* (visit: Visit, incoming: Incoming) {
    const form = yield* readForm(incoming.request)
    const action = form.get("action")
    const back = redirectReply(afterForm(tokenIn(incoming)))
    if (action === "cancel") return yield* Effect.as(checkout.cancel(visit), back)
    if (action !== "pay") return back
    if (visit.stage._tag === "GiveCard") return yield* givenCard(visit, form, wordsOf(incoming), back)
    return yield* Effect.as(checkout.pay(visit), back)
  })

  const path = "/checkout/:payment_id"
  const routes: ReadonlyArray<Route> = [
    {
      method: "GET",
      path,
      handle: Effect.fn("CheckoutRoute.show")((incoming) =>
        withVisit(incoming, (visit) => Effect.succeed(shown(visit, incoming)))
      )
    },
    {
      method: "GET",
      path: `${path}/return`,
      handle: Effect.fn("CheckoutRoute.comeBack")((incoming) =>
        withVisit(incoming, ({ payment }) =>
          Effect.as(
            comeBack(payment, broughtBy(incoming)),
            redirectReply(`../${payment.payment_id}${thisPage(tokenIn(incoming))}`)
          )
        )
      )
    },
    {
      method: "POST",
      path,
      handle: Effect.fn("CheckoutRoute.submit")((incoming) =>
        withVisit(incoming, (visit) => submitted(visit, incoming)).pipe(
          Effect.catchTag("FormRefused", ({ closeConnection, status }) => {
            const words = wordsOf(incoming)
            const reply = pageReply(status, words, refusedPage(words))
            const headers = closeConnection ? { ...reply.headers, connection: "close" } : reply.headers
            return Effect.succeed({ ...reply, headers })
          })
        )
      )
    }
  ]
  return routes
})
