/** An Adyen to try Corridor with: it speaks Adyen's wire, checks what it is sent as Adyen does, and signs its callbacks. */
import type { Fake, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import {
  callbackOf,
  credentials,
  disputes,
  refundedByHand,
  linkIdOf,
  linkOf,
  paymentPsp,
  pspOf,
  resultOf,
  shownAmount,
  transferOf,
  CancelById,
  CancelByReference,
  CloseLink,
  checkoutError,
  Details,
  NewLink,
  NewPayment,
  NewRefund,
  taken,
  type Refuse,
  NewTransfer,
  transferError
} from "./AdyenFakeBodies.ts"
import { management } from "./AdyenFakeManagement.ts"
import { Either, Option } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { namedBy } from "../../src/providers/adyen/AdyenRequests.ts"
import type { Money } from "../../src/domain/Money.ts"
import { readJson } from "../../src/providers/client/WireValues.ts"
import { moneyIn } from "../../src/providers/adyen/AdyenCorridors.ts"

/** Rules of all routes of the fake of Adyen: who may call them, and the answer to a repeated key. */
type Amount = Parameters<typeof moneyIn>[0]

export const amountIn = ({ body }: FakeRequest): Money | undefined => {
  const json = Either.getOrUndefined(readJson(body)) as { readonly amount?: Partial<Amount> } | undefined
  const { currency, value } = json?.amount ?? {}
  return typeof currency === "string" && typeof value === "string"
    ? Option.getOrUndefined(moneyIn({ currency, value }))
    : undefined
}

export const tooSmall = (refuse: Refuse): FakeReply => refuse(422, "100", "The amount is not valid.", "validation")

/** The first answer is given again, whatever is sent with the key. */
export const remembering = () => {
  const known = new Map<string, FakeReply>()
  return ({ headers, path }: FakeRequest, run: () => FakeReply): FakeReply => {
    const key = headers["idempotency-key"]
    const reply = known.get(`${path} ${key}`) ?? run()
    if (key === undefined) return reply
    known.set(`${path} ${key}`, reply)
    return { ...reply, headers: { "idempotency-key": key } }
  }
}

export const guarded =
  (key: string, refuse: Refuse) =>
  (route: FakeRoute): FakeRoute => ({
    ...route,
    answer: (request, scenario) =>
      request.headers["x-api-key"] === key
        ? route.answer(request, scenario)
        : refuse(401, "000", "HTTP Status Response - Unauthorized", "security")
  })

export const below =
  (prefix: string) =>
  (route: FakeRoute): FakeRoute => ({ ...route, path: `${prefix}${route.path}` })

/** The fake's checkout: links and their page, cards and the page that proves them, refunds. */

/** The test card that has to be proved on a page of its issuer's. */
const REDIRECTS = "4212345678901237"

const newLink = taken(NewLink)
const newPayment = taken(NewPayment)
const details = taken(Details)
const newRefund = taken(NewRefund)
const closeLink = taken(CloseLink)
const cancelById = taken(CancelById)
const cancelByReference = taken(CancelByReference)

const notFound = checkoutError(404, "002", "It was not found.", "validation")

const wrongAccount = checkoutError(403, "901", "Invalid Merchant Account", "security")

const notSupported = checkoutError(422, "905", "Payment details are not supported", "configuration")

const originalRequired = checkoutError(422, "167", "Original pspReference required for this operation", "validation")

const back = (location: URL): FakeReply => ({ status: 302, headers: { location: location.href } })

export const checkout = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, url } = world
  const once = remembering()

  const create = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.map(newLink(request.body), (link) => {
        const money = amountIn(request)
        if (link.merchantAccount !== credentials.merchant_account) return wrongAccount
        if (money === undefined) return tooSmall(checkoutError)
        if (scenario === "declined_provider") return notSupported
        const { reference } = namedBy(link.reference)
        const kept = { isLink: true, returnUrl: link.returnUrl }
        const entry = world.take({ id: linkIdOf(reference), reference, kind: "payin", money, waits: true, kept })
        return { status: 201, body: linkOf(entry, url) }
      })
    )

  const pay = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.map(newPayment(request.body), ({ merchantAccount, paymentMethod, reference, returnUrl }) => {
        const money = amountIn(request)
        if (merchantAccount !== credentials.merchant_account) return wrongAccount
        if (money === undefined) return tooSmall(checkoutError)
        if (scenario === "declined_provider") return notSupported
        const id = pspOf(reference)
        if (scenario === "declined_instrument") {
          const refusal = { resultCode: "Refused", refusalReason: "Refused", refusalReasonCode: "2" }
          return { status: 200, body: { pspReference: id, merchantReference: reference, ...refusal } }
        }
        const waits = paymentMethod.number === REDIRECTS
        return {
          status: 200,
          body: resultOf(world.take({ id, reference, kind: "payin", money, waits, kept: { returnUrl } }), url)
        }
      })
    )

  /** Result of a page, which stands for the payment that was proved on it. */
  const proofOf = (entry: Entry): string => sha256Hex(`proof of ${entry.id}`)

  const finish = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(details(request.body), (given) => {
        const entry = books.all().find((one) => proofOf(one) === given.details.redirectResult)
        if (entry === undefined) return checkoutError(422, "14_0408", "Invalid redirectResult", "validation")
        world.approve(entry)
        return { status: 200, body: resultOf(entry, url) }
      })
    )

  const refund = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.map(newRefund(request.body), ({ amount, merchantAccount, reference: named }) => {
        const psp = request.params["id"] ?? ""
        const paid = books.all().find((one) => one.kind === "payin" && paymentPsp(one) === psp)
        const money = amountIn(request)
        if (merchantAccount !== credentials.merchant_account) return wrongAccount
        if (paid === undefined) return originalRequired
        if (money === undefined || money.currency !== paid.moved.currency) return tooSmall(checkoutError)
        if (scenario === "declined_provider" || scenario === "declined_instrument") {
          return checkoutError(422, "125", "Refunds are not allowed for this account", "configuration")
        }
        const { reference } = namedBy(named ?? sha256Hex(request.body))
        const id = pspOf(`refund ${reference}`)
        // Whether there is so much to give back is found out later, as everything about a refund is.
        const entry = world.take({ id, reference, kind: "refund", money, of: paid.id })
        const before = books.all().filter((one) => one.of === paid.id && one.id !== id && one.state !== "failed")
        const left = before.reduce(
          (rest, one) => rest - one.asked.minor,
          paid.state === "completed" ? paid.moved.minor : 0n
        )
        if (money.minor > left) entry.state = "failed"
        return {
          status: 201,
          body: {
            amount: { currency: amount.currency, value: Number(amount.value) },
            merchantAccount,
            paymentPspReference: psp,
            pspReference: id,
            ...(named === undefined ? {} : { reference: named }),
            status: "received"
          }
        }
      })
    )

  /** A callback reports whether the cancellation was in time. */
  const callOff = (entry: Entry): void => {
    world.approve(entry)
    if (entry.state !== "processing") return
    entry.state = "returned"
    entry.kept["calledOff"] = true
  }

  const noted = (of: string, body: Readonly<Record<string, unknown>>): FakeReply => ({
    status: 201,
    body: { ...body, pspReference: pspOf(`cancel of ${of}`), status: "received" }
  })

  const cancelPayment = ({ body, params }: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(cancelById(body), (wish) => {
        if (wish.merchantAccount !== credentials.merchant_account) return wrongAccount
        const psp = params["id"] ?? ""
        const entry = books.all().find((one) => one.kind === "payin" && paymentPsp(one) === psp)
        if (entry === undefined) return originalRequired
        callOff(entry)
        return noted(psp, { ...wish, paymentPspReference: psp })
      })
    )

  const cancelNamed = ({ body }: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(cancelByReference(body), (wish) => {
        if (wish.merchantAccount !== credentials.merchant_account) return wrongAccount
        const entry = books.byReference("payin", namedBy(wish.paymentReference).reference)
        if (entry !== undefined) callOff(entry)
        return noted(wish.paymentReference, wish)
      })
    )

  const linkEntry = (id: string | undefined): Entry | undefined => {
    const entry = books.byId(id ?? "")
    return entry?.kept["isLink"] === true ? entry : undefined
  }

  /** Closes an open link; a link that is paid or being paid stays as it is. */
  const close = ({ body, params }: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(closeLink(body), () => {
        const entry = linkEntry(params["id"])
        if (entry === undefined) return notFound
        if (entry.state === "waiting") entry.state = "failed"
        return entry.state === "failed"
          ? { status: 200, body: linkOf(entry, url) }
          : checkoutError(422, "29_001", "The payment link cannot be updated in its status.", "validation")
      })
    )

  const returnUrlOf = ({ kept }: Entry): URL => new URL(typeof kept["returnUrl"] === "string" ? kept["returnUrl"] : url)

  const api = [
    {
      method: "POST",
      path: "/paymentLinks",
      moves: amountIn,
      answer: (request: FakeRequest, scenario: Scenario) => once(request, () => create(request, scenario))
    },
    {
      method: "GET",
      path: "/paymentLinks/:id",
      answer: ({ params }: FakeRequest) => {
        const entry = linkEntry(params["id"])
        return entry === undefined ? notFound : { status: 200, body: linkOf(entry, url) }
      }
    },
    { method: "PATCH", path: "/paymentLinks/:id", answer: close },
    {
      method: "POST",
      path: "/payments",
      moves: amountIn,
      answer: (request: FakeRequest, scenario: Scenario) => once(request, () => pay(request, scenario))
    },
    {
      method: "POST",
      path: "/payments/details",
      answer: (request: FakeRequest) => once(request, () => finish(request))
    },
    {
      method: "POST",
      path: "/payments/:id/refunds",
      moves: amountIn,
      answer: (request: FakeRequest, scenario: Scenario) => once(request, () => refund(request, scenario))
    },
    { method: "POST", path: "/payments/:id/cancels", answer: cancelPayment },
    { method: "POST", path: "/cancels", answer: cancelNamed }
  ].map(guarded(credentials.api_key, checkoutError))

  return [
    ...api,
    ...api.map(below("/v71")),
    {
      method: "GET",
      path: "/hosted/links/:id",
      answer: ({ params }) => {
        const entry = linkEntry(params["id"])
        if (entry === undefined) return notFound
        world.approve(entry)
        return back(returnUrlOf(entry))
      }
    },
    {
      method: "GET",
      path: "/hosted/3ds/:id",
      answer: ({ params }) => {
        const entry = books.byId(params["id"] ?? "")
        if (entry === undefined) return notFound
        const to = returnUrlOf(entry)
        to.searchParams.set("redirectResult", proofOf(entry))
        return back(to)
      }
    }
  ]
}

/** The fake's transfers, which live at an address of their own. */
const newTransfer = taken(NewTransfer, transferError)

export const transfers = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books } = world
  const once = remembering()

  const create = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.map(
        newTransfer(request.body),
        ({ balanceAccountId, counterparty, reference = sha256Hex(request.body) }) => {
          const money = amountIn(request)
          if (balanceAccountId !== credentials.balance_account) {
            return transferError(422, "30_031", "The balance account was not found.")
          }
          if (money === undefined) return tooSmall(transferError)
          const id = pspOf(reference)
          if (scenario === "declined_instrument" || scenario === "declined_provider") {
            const reason = scenario === "declined_provider" ? "notEnoughBalance" : "counterpartyAccountClosed"
            const refused = {
              id,
              amount: shownAmount(money),
              category: "bank",
              counterparty,
              reference,
              reason,
              status: "refused"
            }
            return { status: 200, body: refused }
          }
          const entry = world.take({ id, reference, kind: "payout", money, kept: { counterparty } })
          return { status: 202, body: transferOf(entry) }
        }
      )
    )

  const find = ({ query }: FakeRequest): FakeReply => {
    const [since, until] = [query.get("createdSince"), query.get("createdUntil")]
    if (since === null || until === null)
      return transferError(422, "30_033", "createdSince and createdUntil are required.")
    if (query.get("balanceAccountId") !== credentials.balance_account) {
      return transferError(422, "30_031", "The balance account was not found.")
    }
    const data = books
      .all()
      .filter(
        ({ createdAt, kind }) => kind === "payout" && new Date(since) <= createdAt && createdAt <= new Date(until)
      )
      .filter(({ reference }) => query.get("reference") === null || query.get("reference") === reference)
    return { status: 200, body: { data: data.map(transferOf), _links: {} } }
  }

  return [
    {
      method: "POST",
      path: "/transfers",
      moves: amountIn,
      answer: (request: FakeRequest, scenario: Scenario) => once(request, () => create(request, scenario))
    },
    { method: "GET", path: "/transfers", answer: find },
    {
      method: "GET",
      path: "/transfers/:id",
      answer: ({ params }: FakeRequest) => {
        const entry = books.byId(params["id"] ?? "")
        return entry?.kind === "payout"
          ? { status: 200, body: transferOf(entry) }
          : transferError(404, "30_032", "The transfer was not found.")
      }
    }
  ]
    .map(guarded(credentials.transfers_api_key, transferError))
    .map(below("/btl/v4"))
}

export const adyenFake: Fake = {
  name: "adyen",
  credentials,
  routes: (world) => [...checkout(world), ...transfers(world), ...management()],
  callbackOf,
  disputes,
  refundedByHand
}
