/** `/pay/{link_ref}`: the form of a payment link, its logo, and a page for each payment. */
import { Clock, Effect, Either, Option, Duration } from "effect"
import { Settings } from "../../../platform/config/Settings.ts"
import { linkFormsPerMinute, logoKept } from "../../../domain/policies/PaymentPolicies.ts"
import { type Outgoing, alsoByHead, type Incoming, type Route } from "../../../platform/http/Route.ts"
import { RateLimits, requestAddress } from "../../../platform/rateLimits/RateLimits.ts"
import { LinkCheckout } from "../../links/LinkCheckout.ts"
import { cookieFor, holderCookie } from "../../links/LinkTokens.ts"
import type { LedResult, LinkVisit, Offer, PayResult, StatusVisit } from "../../links/LinkVisit.ts"
import type { PaymentLink } from "../../links/LinkStore.ts"
import { amountText, type Reader, readerOf } from "../PageText.ts"
import { message, notFoundPage } from "../CheckoutPage.ts"
import { browserOf, makeReadForm, orRefusedPage } from "../FormBody.ts"
import { withHeader, type Page, pageReply, redirectReply } from "../PageLayout.ts"
import { SendReceipt } from "../SendReceipt.ts"
import { formPage, type FormState } from "./LinkFormPage.ts"
import { keptFrom, keptOf, type LinkField, methodIn, numberFields, orderOf, sentForm } from "./LinkForm.ts"
import { statusPage, type ActionProblem, takenPage, problemStatus } from "./LinkStatusPage.ts"
import type { Stored } from "../../../platform/database/DatabaseFailure.ts"
import { logoType } from "../../../contract/api/PaymentLinksApi.ts"
import { traced } from "../../../platform/observability/Spans.ts"

/** Serves the logo from this host, restricted to an image. */
export const logoReply = (bytes: Uint8Array): Outgoing => ({
  status: 200,
  headers: {
    "cache-control": `private, max-age=${Duration.toSeconds(logoKept)}, immutable`,
    "content-security-policy": "default-src 'none'; sandbox",
    "content-type": logoType(bytes) ?? "application/octet-stream",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow"
  },
  body: Buffer.from(bytes)
})

const refOf = ({ params }: Incoming): string => params["link_ref"] ?? ""

const notFound = (reader: Reader): Outgoing => pageReply(404, reader, notFoundPage(reader.words))

/** Relative, so that it works behind any proxy. */
const statusAddress = (linkRef: string, submission: string): string => `${linkRef}/${submission}`

/** Adds the link's brand and preview. */
const ofLink = ({ link, merchant }: Pick<LinkVisit, "link" | "merchant">, publicUrl: string, page: Page): Page => ({
  ...page,
  site: merchant,
  color: link.brand_color,
  image: link.has_logo ? `${publicUrl}/pay/${link.link_ref}/logo` : undefined
})

/** Relative path of the logo, from the link's page and from the payment's page. */
const logoBeside = ({ has_logo, link_ref }: PaymentLink) => (has_logo ? `${link_ref}/logo` : undefined)
const logoBelow = ({ has_logo }: PaymentLink) => (has_logo ? "logo" : undefined)

const closedPage = (visit: LinkVisit, { words }: Reader, because: "paid" | "canceled" | "expired"): Page => {
  const { text, title } = words.link.closed[because]
  const { content } = message(title, text)
  return { title, content: withHeader({ ...visit, logo: logoBeside(visit.link), amount: undefined }, words, content) }
}

/** The failed payment that the payer tries again. */
const againIn = ({ query: { again } }: Incoming): string | undefined => (typeof again === "string" ? again : undefined)

type Asked = Omit<FormState, "method" | "notice"> & {
  readonly method: FormState["method"] | undefined
  readonly notice?: (price: string | undefined) => string
  /** Default: by the route of the amount, where that is known. */
  readonly needed?: Partial<Pick<Offer, "asksCardNumber" | "mobileMoneyNeedsEmail">>
}

export const linkRoutes = Effect.gen(function* () {
  const counter = yield* LinkCheckout
  const { publicUrl, rateLimitPerMinute, trustProxy } = yield* Settings
  const receipts = yield* SendReceipt
  const readForm = yield* makeReadForm
  const { limiter } = yield* RateLimits
  const forms = limiter("link forms", rateLimitPerMinute === 0 ? 0 : linkFormsPerMinute)

  /** Each form has its own price and submission. */
  const formReply = Effect.fnUntraced(function* (visit: LinkVisit, reader: Reader, status: number, asked: Asked) {
    const { words } = reader
    const offer = yield* counter.offer(visit.link)
    if (Option.isNone(offer)) {
      return pageReply(503, reader, ofLink(visit, publicUrl, message(words.link.notNowTitle, words.notNow)))
    }
    const { methods, price } = offer.value
    const method = methods.find((one) => one === asked.method) ?? methods[0]!
    const notice = asked.notice?.(price === null ? undefined : amountText(price.pays, words))
    const state = { method, kept: asked.kept, problems: asked.problems, notice, again: asked.again }
    const now = new Date(yield* Clock.currentTimeMillis)
    const page = formPage(
      { ...visit, logo: logoBeside(visit.link) },
      { ...offer.value, ...asked.needed },
      words,
      state,
      now
    )
    return pageReply(status, reader, ofLink(visit, publicUrl, page))
  })

  /** `status`: HTTP status of the page about another payer's payment. */
  const shown = (visit: LinkVisit, incoming: Incoming, status = 200) => {
    const reader = readerOf(incoming)
    /** The holder of the payment goes on to its page. */
    const toHolderOr = (submission: string | null, otherStatus: number, page: Page) => {
      const holder = cookieFor(incoming.request.headers.cookie, submission ?? "")
      return Effect.succeed(
        submission !== null && counter.isHolder(visit.link, submission, holder)
          ? redirectReply(statusAddress(refOf(incoming), submission))
          : pageReply(otherStatus, reader, ofLink(visit, publicUrl, page))
      )
    }
    switch (visit.state._tag) {
      case "Taken": {
        const { freeAt, submission } = visit.state
        const page = takenPage({ ...visit, logo: logoBeside(visit.link) }, reader.words, refOf(incoming), freeAt)
        return toHolderOr(submission, status, page)
      }
      case "Closed": {
        const { because, submission } = visit.state
        return toHolderOr(submission, because === "paid" ? 200 : 410, closedPage(visit, reader, because))
      }
      case "Payable": {
        const { method } = incoming.query
        const again = againIn(incoming)
        const asked = typeof method === "string" ? methodIn(method) : undefined
        if (again === undefined) return formReply(visit, reader, 200, { method: asked, kept: {}, problems: [], again })
        return Effect.flatMap(
          counter.status(refOf(incoming), again, cookieFor(incoming.request.headers.cookie, again)),
          (failed) => {
            const before = Option.filter(failed, ({ isHolder }) => isHolder)
            const kept = Option.match(before, { onNone: () => ({}), onSome: (one) => keptFrom(one, reader.words) })
            const used = Option.getOrUndefined(Option.map(before, ({ payment }) => methodIn(payment.payment_method)))
            return formReply(visit, reader, 200, { method: asked ?? used, kept, problems: [], again })
          }
        )
      }
    }
  }

  const withVisit = <E>(incoming: Incoming, answer: (visit: LinkVisit) => Effect.Effect<Outgoing, E>) =>
    Effect.flatMap(
      counter.open(refOf(incoming)),
      Option.match({ onNone: () => Effect.succeed(notFound(readerOf(incoming))), onSome: answer })
    )

  /** Redirects to the payment's page and sets the holder's cookie. */
  const led = (linkRef: string, { holder, submission }: LedResult): Outgoing => {
    const reply = redirectReply(statusAddress(linkRef, submission))
    if (holder === null) return reply
    const cookie = holderCookie(publicUrl, linkRef, submission, holder)
    return { ...reply, headers: { ...reply.headers, "set-cookie": cookie } }
  }

  const afterPay = Effect.fnUntraced(function* (
    result: PayResult,
    incoming: Incoming,
    again: (
      status: number,
      problems: ReadonlyArray<LinkField>,
      notice: Asked["notice"],
      needed?: Asked["needed"]
    ) => Stored<Outgoing>
  ) {
    const { words } = readerOf(incoming)
    switch (result._tag) {
      case "Led":
        return led(refOf(incoming), result)
      case "Taken":
      case "Closed":
        return yield* withVisit(incoming, (now) => shown(now, incoming, 409))
      case "Repriced":
        return yield* again(409, [], (price) => (price === undefined ? words.notNow : words.link.repriced(price)))
      case "TooLittle":
        return yield* again(400, ["amount"], () => words.link.checkFields)
      case "FieldNeeded":
        return yield* result.field === "number"
          ? again(400, numberFields, () => words.link.checkFields, { asksCardNumber: true })
          : again(400, ["email"], () => words.link.checkFields, { mobileMoneyNeedsEmail: true })
      case "NoRoute":
        return yield* again(503, [], () => words.link.noRoute)
      case "PromptedTooOften":
        return yield* again(429, [], () => words.link.promptedTooOften)
      case "Refused":
        return yield* again(400, [], () => words.refusedText)
    }
  })

  const submitted = Effect.fnUntraced(function* (visit: LinkVisit, incoming: Incoming) {
    const reader = readerOf(incoming)
    const { words } = reader
    const form = yield* readForm(incoming)
    if (visit.state._tag === "Closed") {
      // The answer to the first sending may have been lost.
      const before = yield* counter.ledBefore(visit.link, sentForm(form))
      return Option.isSome(before) ? led(refOf(incoming), before.value) : yield* shown(visit, incoming)
    }
    const isTaken = visit.state._tag === "Taken" && visit.state.submission !== form.get("submission")
    if (isTaken) return yield* shown(visit, incoming, 409)
    const now = yield* Clock.currentTimeMillis
    const method = methodIn(form.get("method"))
    const again: Parameters<typeof afterPay>[2] = (status, problems, notice, needed) =>
      formReply(visit, reader, status, {
        method,
        kept: keptOf(form),
        problems,
        again: againIn(incoming),
        ...(needed === undefined ? {} : { needed }),
        ...(notice === undefined ? {} : { notice })
      })
    if (method === undefined) return yield* again(400, [], () => words.link.checkFields)
    const order = orderOf(form, { link: visit.link, method, now: new Date(now), words })
    if (Either.isLeft(order)) return yield* again(400, order.left, () => words.link.checkFields)
    // Counts valid forms by payer and link, so that one visitor cannot block others.
    const payer = `${requestAddress(incoming.request, trustProxy)} ${visit.link.link_id}`
    if (!forms.take(payer, now).allowed) return yield* again(429, [], () => words.link.slowDown)
    return yield* afterPay(
      yield* counter.pay(visit.link, { ...order.right, browser: browserOf(incoming, trustProxy) }),
      incoming,
      again
    )
  })

  const withStatus = <E>(incoming: Incoming, answer: (visit: StatusVisit) => Effect.Effect<Outgoing, E>) => {
    const submission = incoming.params["submission"] ?? ""
    const holder = cookieFor(incoming.request.headers.cookie, submission)
    return Effect.flatMap(
      counter.status(refOf(incoming), submission, holder),
      Option.match({ onNone: () => Effect.succeed(notFound(readerOf(incoming))), onSome: answer })
    )
  }

  const statusReply = (visit: StatusVisit, incoming: Incoming, actionProblem?: ActionProblem): Outgoing => {
    const reader = readerOf(incoming)
    const { receipt } = incoming.query
    const page = statusPage(
      {
        visit: { ...visit, logo: logoBelow(visit.link) },
        words: reader.words,
        address: incoming.params["submission"] ?? "",
        actionProblem,
        receipt: receipt === "sent" || receipt === "failed" ? receipt : undefined
      },
      `../${visit.link.link_ref}${visit.isHolder ? `?again=${incoming.params["submission"] ?? ""}` : ""}`,
      publicUrl
    )
    const status = actionProblem === undefined ? 200 : problemStatus[actionProblem]
    return pageReply(status, reader, ofLink(visit, publicUrl, page))
  }

  const mailReceipt = Effect.fnUntraced(function* (visit: StatusVisit, incoming: Incoming) {
    const submission = incoming.params["submission"] ?? ""
    const address = `${publicUrl}/pay/${visit.link.link_ref}/${submission}?receipt=shown`
    const answer = yield* receipts(visit, readerOf(incoming).words, address)
    return redirectReply(`${submission}?receipt=${answer}`)
  })

  const acted = Effect.fnUntraced(function* (visit: StatusVisit, incoming: Incoming) {
    const form = yield* readForm(incoming)
    const back = redirectReply(incoming.params["submission"] ?? "")
    const replyWithProblem = (actionProblem: ActionProblem) =>
      withStatus(incoming, (now) => Effect.succeed(statusReply(now, incoming, actionProblem)))
    const action = form.get("action")
    // Anyone may request the receipt, since it goes to the payer's own address.
    if (!visit.isHolder && action !== "receipt") return statusReply(visit, incoming, "not_holder")
    switch (action) {
      case "otp": {
        const answer = yield* counter.giveOtp(visit, (form.get("otp") ?? "").trim())
        return answer === "wrong" ? yield* replyWithProblem("wrong_otp") : back
      }
      case "receipt":
        return yield* mailReceipt(visit, incoming)
      case "resend":
        return (yield* counter.resendOtp(visit)) === "too often" ? yield* replyWithProblem("resent_too_often") : back
      case "cancel":
        return (yield* counter.cancel(visit)) === "refused" ? yield* replyWithProblem("cancel_refused") : back
      default:
        return back
    }
  })

  const path = "/pay/:link_ref"
  const statusPath = `${path}/:submission` as const
  const routes: ReadonlyArray<Route> = [
    {
      method: "GET",
      path: `${path}/logo`,
      handle: traced("LinkRoutes.logo")((incoming) =>
        Effect.map(
          counter.logo(refOf(incoming)),
          Option.match({ onNone: () => notFound(readerOf(incoming)), onSome: logoReply })
        )
      )
    },
    {
      method: "GET",
      path,
      handle: traced("LinkRoutes.show")((incoming) => withVisit(incoming, (visit) => shown(visit, incoming)))
    },
    {
      method: "POST",
      path,
      handle: traced("LinkRoutes.submit")((incoming) =>
        orRefusedPage(
          incoming,
          withVisit(incoming, (visit) => submitted(visit, incoming))
        )
      )
    },
    {
      method: "GET",
      path: statusPath,
      handle: traced("LinkRoutes.status")((incoming) =>
        withStatus(incoming, (visit) => Effect.succeed(statusReply(visit, incoming)))
      )
    },
    {
      method: "POST",
      path: statusPath,
      handle: traced("LinkRoutes.act")((incoming) =>
        orRefusedPage(
          incoming,
          withStatus(incoming, (visit) => acted(visit, incoming))
        )
      )
    }
  ]
  return alsoByHead(routes)
})
