/** Steps on payment links: create, several payers at once, repeated submissions, withdrawal. */
import { Effect } from "effect"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import type { LinkPayment, StoredLink } from "../../../src/hosted/links/LinkStore.ts"
import { rightPassword } from "../providers/SimulatedProvider.ts"
import type { HttpReply } from "../world/SimulationEnvironment.ts"
import { organisationOf } from "./VirtualAccountSteps.ts"
import { callApi, responseOf, type ScenarioContext, type StepAction, purposeOf, type Step } from "./ScenarioContext.ts"
import type { Credential, Organisation } from "./SimulationFixtures.ts"

export const linkTables = {
  paymentLinks: memoryTable<StoredLink>("paymentLinks"),
  linkPayments: memoryTable<LinkPayment>("linkPayments")
}

const createLink = (scenario: ScenarioContext, step: Step, { orgId, owner }: Organisation) =>
  Effect.suspend(() => {
    const { chance, time } = scenario.env
    const purpose = purposeOf(step)
    const crosses = chance.happens(0.25, `${purpose} crosses`)
    const amount = chance.between(100, crosses ? 5_000 : 300_000, `${purpose} amount`) / 100
    const soon = new Date(time.now + chance.between(1, 90, `${purpose} minutes`) * 60_000)
    const body = {
      amount,
      currency: crosses ? "USD" : "KES",
      payer_currency: "KES",
      country: "KE",
      description: purpose,
      amount_type: chance.happens(0.75, `${purpose} fixed`) ? "fixed" : "open",
      ...(chance.happens(0.2, `${purpose} ends`) ? { expires_at: soon.toISOString() } : {})
    }
    return callApi(scenario, owner, { path: `/v1/orgs/${orgId}/payment-links`, body })
  })

const hiddenField = ({ body }: HttpReply, name: string): string | undefined =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1]

const browserWith = (cookie: string | undefined): Pick<Credential, "headers"> | null =>
  cookie === undefined ? null : { headers: { cookie: cookie.split(";")[0]! } }

const submitForm = (
  scenario: ScenarioContext,
  path: string,
  form: Readonly<Record<string, string>>,
  browser: ReturnType<typeof browserWith> = null
) => callApi(scenario, browser, { path, form })

/** Sends the form again until there is an answer. */
const submitUntilAnswered = (scenario: ScenarioContext, path: string, form: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    for (const seconds of [2, 20, 300]) {
      const reply = yield* submitForm(scenario, path, form)
      if (reply !== null && reply.status < 500) return reply
      yield* Effect.sleep(seconds * 1000)
    }
    return null
  })

/** Visits the payment's page, which may ask for a one-time password. */
const followPayment = (
  scenario: ScenarioContext,
  location: string,
  browser: ReturnType<typeof browserWith>,
  purpose: string
) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const path = `/pay/${location}`
    for (let at = 1; at <= 3; at++) {
      yield* Effect.sleep(chance.between(1, 30, `${purpose} looks ${at}`) * 1000)
      const page = yield* callApi(scenario, browser, { method: "GET", path })
      if (page === null) continue
      if (page.body.includes('name="otp"')) {
        const otp = chance.happens(0.7, `${purpose} knows it ${at}`) ? rightPassword : "000000"
        yield* submitForm(scenario, path, { action: "otp", otp }, browser)
      } else if (chance.happens(0.05, `${purpose} gives up ${at}`))
        yield* submitForm(scenario, path, { action: "cancel" }, browser)
    }
  })

const visitLink = (scenario: ScenarioContext, ref: string, purpose: string) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    yield* Effect.sleep(chance.pick([0, 0, 1, 30, 4000], `${purpose} comes`) * 1000)
    const path = `/pay/${ref}`
    const page = yield* callApi(scenario, null, { method: "GET", path })
    if (page === null || page.status !== 200) return
    const submission = hiddenField(page, "submission")
    if (submission === undefined) return
    const rate = hiddenField(page, "rate")
    const form = {
      method: "mobile_money",
      network: "mpesa",
      phone: "+254712345678",
      name: "Wanjiru Kamau",
      email: "wanjiru@example.com",
      amount: String(chance.between(10, 900, `${purpose} chooses`)),
      submission,
      token: hiddenField(page, "token") ?? "",
      ...(rate === undefined ? {} : { rate })
    }
    // Some payers click twice.
    const clicks = chance.happens(0.3, `${purpose} clicks twice`) ? [1, 2] : [1]
    const replies = yield* Effect.forEach(clicks, () => submitUntilAnswered(scenario, path, form), { concurrency: 2 })
    const { location, "set-cookie": cookie } = replies.find((reply) => reply?.status === 303)?.headers ?? {}
    if (location !== undefined) yield* followPayment(scenario, location, browserWith(cookie), purpose)
  })

export const usePaymentLink: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = organisationOf(scenario, step)
    const made = yield* createLink(scenario, step, organisation)
    if (made === null || made.status !== 201) return
    const { link_id, link_ref } = responseOf(made) as Record<string, string>
    const payers = Array.from({ length: chance.between(1, 3, `${purpose} payers`) }, (_, at) => at + 1)
    const withdrawn = Effect.gen(function* () {
      yield* Effect.sleep(chance.between(0, 60, `${purpose} withdrawn after`) * 1000)
      const path = `/v1/orgs/${organisation.orgId}/payment-links/${link_id}`
      yield* callApi(scenario, organisation.owner, { method: "DELETE", path })
    })
    const visits = payers.map((payer) => visitLink(scenario, link_ref!, `${purpose} payer ${payer}`))
    yield* Effect.all(chance.happens(0.1, `${purpose} withdrawn`) ? [...visits, withdrawn] : visits, {
      concurrency: "unbounded",
      discard: true
    })
  })
