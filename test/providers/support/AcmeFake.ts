/** The fake of an invented third party: orders with a reference, look-ups by it, hosted pages, refunds, signed callbacks. */
import { createHmac } from "node:crypto"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Fake, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../../fakes/Fake.ts"
import type { Entry } from "../../fakes/FakeLedger.ts"
import type { Scenario } from "../../fakes/MagicAmounts.ts"
import type { ThirdPartyName } from "../../../src/domain/Corridor.ts"

interface Body {
  readonly reference: string
  readonly kind: Entry["kind"]
  readonly amount: string
  readonly currency: string
  readonly of?: string
  readonly return_url?: string
}

const credentials = { api_key: "acme-api-key-7", webhook_secret: "acme-webhook-secret-7", merchant: "Acme at {url}" }

const bodyOf = ({ body }: FakeRequest): Body => JSON.parse(body) as Body

const moneyOf = ({ amount, currency }: Body): Money =>
  new Money({ currency: currency as AnyCurrencyCode, minor: BigInt(amount) })

const isAllowed = ({ headers }: FakeRequest): boolean => headers["authorization"] === `Bearer ${credentials.api_key}`

const shownAs = ({ id, kept, kind, moved, reference, state }: Entry, url: string) => ({
  id,
  kind,
  reference,
  status: state,
  received: moved.minor.toString(),
  currency: moved.currency,
  ...(kept["returnUrl"] === undefined ? {} : { page: `${url}/pay/${id}` })
})

const refused = (status: number, code: string): FakeReply => ({ status, body: { error: { code } } })

const declines: Partial<Record<Scenario, string>> = { declined_instrument: "card_refused", declined_provider: "limit" }

const take = (world: FakeWorld, request: FakeRequest, scenario: Scenario, isOnce: boolean): FakeReply => {
  if (!isAllowed(request)) return refused(401, "key")
  const code = declines[scenario]
  if (code !== undefined) return refused(402, code)
  const body = bodyOf(request)
  const entry = (isOnce ? world.takeOnce : world.take)({
    id: `acme_${body.kind}_${world.books.all().length}`,
    reference: body.reference,
    kind: body.kind,
    money: moneyOf(body),
    waits: body.return_url !== undefined,
    ...(body.of === undefined ? {} : { of: body.of }),
    ...(body.return_url === undefined ? {} : { kept: { returnUrl: body.return_url } })
  })
  return { status: 201, body: shownAs(entry, world.url) }
}

const find = (world: FakeWorld, request: FakeRequest): FakeReply => {
  if (!isAllowed(request)) return refused(401, "key")
  const { kind, reference } = request.params
  const entry = world.books.byReference(kind as Entry["kind"], reference ?? "")
  return entry === undefined ? refused(404, "unknown") : { status: 200, body: shownAs(entry, world.url) }
}

const pay = (world: FakeWorld, { params }: FakeRequest): FakeReply => {
  const entry = world.books.byId(params["id"] ?? "")
  if (entry === undefined) return refused(404, "unknown")
  world.approve(entry)
  return { status: 302, headers: { location: `${String(entry.kept["returnUrl"])}?acme=${entry.id}` } }
}

const routesOf =
  (isOnce: boolean) =>
  (world: FakeWorld): ReadonlyArray<FakeRoute> => [
    {
      method: "POST",
      path: "/orders",
      moves: (request) => moneyOf(bodyOf(request)),
      answer: (request, scenario) => take(world, request, scenario, isOnce)
    },
    { method: "GET", path: "/orders/:kind/:reference", answer: (request) => find(world, request) },
    { method: "GET", path: "/pay/:id", answer: (request) => pay(world, request) },
    {
      method: "GET",
      path: "/ping",
      answer: (request) => (isAllowed(request) ? { status: 200, body: "pong" } : refused(401, "key"))
    }
  ]

export const signed = (body: string): string =>
  createHmac("sha256", credentials.webhook_secret).update(body).digest("hex")

export const acmeFake: Fake = {
  name: "acme" as ThirdPartyName,
  credentials,
  routes: routesOf(true),
  callbackOf: (entry, { url }) => {
    const body = JSON.stringify({ event: `evt_${entry.id}_${entry.state}`, order: shownAs(entry, url) })
    return { headers: { "x-acme-signature": signed(body) }, body }
  }
}

/** Moves money for a reference as often as it comes. */
export const forgetfulAcmeFake: Fake = { ...acmeFake, routes: routesOf(false) }
