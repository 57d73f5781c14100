/** Fixtures of a run: organisations with keys, beneficiaries, accounts, receivers and corridors. */
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import type { Json } from "../../simulation/business/ScenarioContext.ts"
import { ChaosFailed } from "../ChaosFailed.ts"
import { type Receiver, startReceiver, type ReceiverBehaviour } from "../environment/ChaosReceivers.ts"
import type { Environment } from "../environment/Environment.ts"
import { headersFor } from "./ApiCalls.ts"
import { beneficiaries, type BeneficiaryName, corridors } from "./Corridors.ts"

export interface Endpoint {
  readonly webhookId: string
  readonly events: ReadonlyArray<string>
  readonly receiver: Receiver
}

export interface Organisation {
  readonly orgId: string
  readonly apiKey: string
  readonly beneficiaries: Readonly<Record<BeneficiaryName, string>>
  readonly accounts: ReadonlyArray<{ readonly id: string; readonly currency: string }>
  readonly endpoints: ReadonlyArray<Endpoint>
}

type Headers = Readonly<Record<string, string>>

/** A refused request ends the run. */
const requestJson = async (url: string, headers: Headers, method: string, body?: object): Promise<Json> => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${url} was answered with ${response.status}: ${text}`)
  return JSON.parse(text) as Json
}

const dataOf = (answer: Json): Json => answer["data"] as Json

type Corridor = Pick<(typeof corridors)[number], "country" | "direction" | "payment_method">

const isServedBy =
  (one: Corridor): ((other: Corridor) => boolean) =>
  ({ country, direction, payment_method }) =>
    country === one.country && payment_method === one.payment_method && [direction, "external"].includes(one.direction)

/** Sends every payment to a fake: disables the built-in simulators. */
const configureCorridors = async ({ credentials, instances }: Environment): Promise<void> => {
  const url = `${instances[0]!.url}/v1/payments/provider-configs`
  const headers = { authorization: `Bearer ${credentials.admin.jwt}`, "x-api-key": "NONE" }
  const { data } = (await requestJson(`${url}?limit=100`, headers, "GET")) as unknown as {
    readonly data: ReadonlyArray<Corridor & { readonly provider: string; readonly config_id: string }>
  }
  for (const { config_id, provider } of data.filter((config) => corridors.some(isServedBy(config)))) {
    await requestJson(`${url}/${provider}/${config_id}`, headers, "PATCH", { is_active: false })
  }
  for (const corridor of corridors) await requestJson(url, headers, "POST", corridor)
}

const receiverKinds: ReadonlyArray<{ readonly behaviour: ReceiverBehaviour; readonly events: ReadonlyArray<string> }> =
  [
    { behaviour: "takes", events: ["*"] },
    { behaviour: "fails", events: ["payment.*"] },
    // Occupies every delivery slot that it gets, so a few events are enough.
    { behaviour: "hangs", events: ["payment.failed"] }
  ]

const createOrganisation = (env: Environment, { api_key, org_id, users }: Environment["credentials"]["orgs"][number]) =>
  Effect.gen(function* () {
    const { url } = env.instances[0]!
    const post = (path: string, body: object) => requestJson(`${url}/v1${path}`, headersFor(api_key), "POST", body)
    const receivers = yield* Effect.forEach(receiverKinds, ({ events, behaviour }) =>
      Effect.map(startReceiver(behaviour), (receiver) => ({ receiver, events }))
    )
    return yield* Effect.tryPromise({
      try: async (): Promise<Organisation> => {
        const known = []
        for (const [name, body] of Object.entries(beneficiaries)) {
          known.push([name, String(dataOf(await post("/beneficiaries", body))["beneficiary_id"])] as const)
        }
        const endpoints = []
        for (const { events, receiver } of receivers) {
          const webhook = dataOf(await post("/public/webhooks", { endpoint_url: receiver.url, events }))
          receiver.setSecret(String(webhook["secret_key"]))
          endpoints.push({ webhookId: String(webhook["webhook_id"]), events, receiver })
        }
        const accounts = []
        for (const currency of ["KES", "KES", "EUR"]) {
          const wanted = { org_id, user_id: users[0]!.user_id, currency }
          const id = String(dataOf(await post("/virtual-accounts/internal/bank", wanted))["account_id"])
          await post(`/virtual-accounts/${id}/simulate-deposit`, { amount: 5_000_000 })
          accounts.push({ id, currency })
        }
        return {
          orgId: org_id,
          apiKey: api_key,
          beneficiaries: Object.fromEntries(known) as Organisation["beneficiaries"],
          accounts,
          endpoints
        }
      },
      catch: (cause) => new ChaosFailed({ message: String(cause) })
    })
  })

/** Instances cache corridors for a moment. */
const UNTIL_KNOWN_MILLIS = 1_500

export const createFixtures = (env: Environment) =>
  Effect.gen(function* () {
    yield* Effect.tryPromise({
      try: () => configureCorridors(env),
      catch: (cause) => new ChaosFailed({ message: String(cause) })
    })
    const organisations = yield* Effect.forEach(env.credentials.orgs, (org) => createOrganisation(env, org))
    yield* Effect.promise(() => pause(UNTIL_KNOWN_MILLIS))
    return organisations
  })
