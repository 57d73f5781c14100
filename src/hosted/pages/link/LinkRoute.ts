/** `/pay/{link_ref}`: the form of a payment link, and behind it a page for every payment that it led to. */
import { Clock, Effect, Either, Option } from "effect"
import { Settings } from "../../../platform/config/Settings.ts"
import { linkFormsPerMinute } from "../../../domain/policies/Payments.ts"
import type { Outgoing } from "../../../platform/http/Outgoing.ts"
import { RateLimits } from "../../../platform/http/RateLimits.ts"
import { requestAddress } from "../../../platform/http/RequestAddress.ts"
import type { Incoming, Route } from "../../../platform/http/Route.ts"
import { LinkCheckout } from "../../links/LinkCheckout.ts"
import type { LinkVisit, PayResult, StatusVisit } from "../../links/LinkVisit.ts"
import { amountText } from "../AmountText.ts"
import { message, notFoundPage, refusedPage } from "../CheckoutPage.ts"
import { FormRefused, readForm } from "../FormBody.ts"
import { headed } from "../Frame.ts"
import { wordsFor } from "../Language.ts"
import { pageReply, redirectReply } from "../Layout.ts"
import type { Words } from "../Words.ts"
import { formPage, type FormState } from "./FormPage.ts"
import { keptOf, type LinkField, methodIn, orderOf } from "./LinkForm.ts"
import { linkWordsFor } from "./LinkWords.ts"
import { statusPage, type StatusTrouble } from "./StatusPage.ts"

const wordsOf = ({ request }: Incoming): Words => wordsFor(request.headers["accept-language"])

const refOf = ({ params }: Incoming): string => params["link_ref"] ?? ""

const notFound = (words: Words): Outgoing => pageReply(404, words, notFoundPage(words))

/** All relative to the page they stand on, so that they hold behind any proxy. */
const statusAddress = (linkRef: string, submission: string): string => `${linkRef}/${submission}`

const closedReply = (visit: LinkVisit, words: Words, because: "paid" | "canceled" | "expired"): Outgoing => {
  const { text, title } = linkWordsFor(words).closed[because]
  const { content } = message(title, text)
  const page = { title, content: headed({ ...visit, amount: undefined }, words, content) }
  return pageReply(because === "paid" ? 200 : 410, words, page)
}

const orRefusedPage = <E>(incoming: Incoming, answer: Effect.Effect<Outgoing, E | FormRefused>) =>
  Effect.catchIf(
    answer,
    (error): error is FormRefused => error instanceof FormRefused,
    ({ closeConnection, status }) => {
      const words = wordsOf(incoming)
      const reply = pageReply(status, words, refusedPage(words))
      const headers = closeConnection ? { ...reply.headers, connection: "close" } : reply.headers
      return Effect.succeed({ ...reply, headers })
    }
  )

type Asked = Omit<FormState, "method" | "notice"> & {
  readonly method: FormState["method"] | undefined
  readonly notice?: (price: string | undefined) => string
}

export const linkRoutes = Effect.gen(function* () {
  const counter = yield* LinkCheckout
  const { publicUrl, rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const forms = limiter("link forms", rateLimitPerMinute === 0 ? 0 : linkFormsPerMinute)

  /** Every showing has its own price and its own submission. */
  const formReply = Effect.fnUntraced(function* (visit: LinkVisit, words: Words, status: number, asked: Asked) {
    const offer = yield* counter.offer(visit.link)
    if (Option.isNone(offer)) {
      return pageReply(503, words, message(linkWordsFor(words).notNowTitle, words.notNow))
    }
    const { methods, price } = offer.value
    const method = methods.find((one) => one === asked.method) ?? methods[0]!
    const notice = asked.notice?.(price === null ? undefined : amountText(price.pays, words))
    const state = { method, kept: asked.kept, problems: asked.problems, notice }
    return pageReply(status, words, formPage(visit, offer.value, words, state))
  })

  const shown = (visit: LinkVisit, incoming: Incoming) => {
    const words = wordsOf(incoming)
    switch (visit.state._tag) {
      case "Taken":
        return Effect.succeed(redirectReply(statusAddress(refOf(incoming), visit.state.submission)))
      case "Closed":
        return Effect.succeed(closedReply(visit, words, visit.state.because))
      case "Payable": {
        const { method } = incoming.query
        const asked = typeof method === "string" ? methodIn(method) : undefined
        return formReply(visit, words, 200, { method: asked, kept: {}, problems: [] })
      }
    }
  }

  const withVisit = <E>(incoming: Incoming, answer: (visit: LinkVisit) => Effect.Effect<Outgoing, E>) =>
    Effect.flatMap(
      counter.open(refOf(incoming)),
      Option.match({ onNone: () => Effect.succeed(notFound(wordsOf(incoming))), onSome: answer })
    )

  const afterPay = Effect.fnUntraced(function* (
    result: PayResult,
    incoming: Incoming,
    again: (status: number, problems: ReadonlyArray<LinkField>, notice: Asked["notice"]) => Effect.Effect<Outgoing>
  ) {
    const words = wordsOf(incoming)
    const linkWords = linkWordsFor(words)
    switch (result._tag) {
      case "Led":
        return redirectReply(statusAddress(refOf(incoming), result.submission))
      case "Closed":
        return yield* withVisit(incoming, (now) => shown(now, incoming))
      case "Repriced":
        return yield* again(409, [], (price) => (price === undefined ? words.notNow : linkWords.repriced(price)))
      case "TooLittle":
        return yield* again(400, ["amount"], () => linkWords.checkFields)
      case "NoRoute":
        return yield* again(503, [], () => linkWords.noRoute)
      case "Refused":
        return yield* again(400, [], () => words.refusedText)
    }
  })

  const submitted = Effect.fnUntraced(function* (visit: LinkVisit, incoming: Incoming) {
    const words = wordsOf(incoming)
    const linkWords = linkWordsFor(words)
    const form = yield* readForm(incoming.request)
    if (visit.state._tag !== "Payable") return yield* shown(visit, incoming)
    const now = yield* Clock.currentTimeMillis
    const method = methodIn(form.get("method"))
    const again = (status: number, problems: ReadonlyArray<LinkField>, notice: Asked["notice"]) =>
      formReply(visit, words, status, {
        method,
        kept: keptOf(form),
        problems,
        ...(notice === undefined ? {} : { notice })
      })
    if (method === undefined) return yield* again(400, [], () => linkWords.checkFields)
    const order = orderOf(form, { link: visit.link, method, now: new Date(now), words })
    if (Either.isLeft(order)) return yield* again(400, order.left, () => linkWords.checkFields)
    // Each payer is counted apart, by what could be a payment: no stranger keeps another from paying.
    const payer = `${requestAddress(incoming.request, trustProxy)} ${visit.link.link_id}`
    if (!forms.take(payer, now).allowed) return yield* again(429, [], () => linkWords.slowDown)
    return yield* afterPay(yield* counter.pay(visit.link, order.right), incoming, again)
  })

  const withStatus = <E>(incoming: Incoming, answer: (visit: StatusVisit) => Effect.Effect<Outgoing, E>) =>
    Effect.flatMap(
      counter.status(refOf(incoming), incoming.params["submission"] ?? ""),
      Option.match({ onNone: () => Effect.succeed(notFound(wordsOf(incoming))), onSome: answer })
    )

  const statusReply = (visit: StatusVisit, incoming: Incoming, trouble?: StatusTrouble): Outgoing => {
    const words = wordsOf(incoming)
    const address = incoming.params["submission"] ?? ""
    const page = statusPage({ visit, words, address, trouble }, `../${visit.link.link_ref}`, publicUrl)
    return pageReply(trouble === undefined ? 200 : trouble === "wrong_otp" ? 400 : 409, words, page)
  }

  const acted = Effect.fnUntraced(function* (visit: StatusVisit, incoming: Incoming) {
    const form = yield* readForm(incoming.request)
    const back = redirectReply(incoming.params["submission"] ?? "")
    const troubled = (trouble: StatusTrouble) =>
      withStatus(incoming, (now) => Effect.succeed(statusReply(now, incoming, trouble)))
    switch (form.get("action")) {
      case "otp": {
        const answer = yield* counter.giveOtp(visit, (form.get("otp") ?? "").trim())
        return answer === "wrong" ? yield* troubled("wrong_otp") : back
      }
      case "resend":
        return yield* Effect.as(counter.resendOtp(visit), back)
      case "cancel":
        return (yield* counter.cancel(visit)) === "refused" ? yield* troubled("cancel_refused") : back
      default:
        return back
    }
  })

  const path = "/pay/:link_ref"
  const statusPath = `${path}/:submission` as const
  const routes: ReadonlyArray<Route> = [
    {
      method: "GET",
      path,
      handle: Effect.fn("LinkRoute.show")((incoming) => withVisit(incoming, (visit) => shown(visit, incoming)))
    },
    {
      method: "POST",
      path,
      handle: Effect.fn("LinkRoute.submit")((incoming) =>
        orRefusedPage(
          incoming,
          withVisit(incoming, (visit) => submitted(visit, incoming))
        )
      )
    },
    {
      method: "GET",
      path: statusPath,
      handle: Effect.fn("LinkRoute.status")((incoming) =>
        withStatus(incoming, (visit) => Effect.succeed(statusReply(visit, incoming)))
      )
    },
    {
      method: "POST",
      path: statusPath,
      handle: Effect.fn("LinkRoute.act")((incoming) =>
        orRefusedPage(
          incoming,
          withStatus(incoming, (visit) => acted(visit, incoming))
        )
      )
    }
  ]
  return routes
})
