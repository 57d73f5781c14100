/** Simulated webhook receivers, which accept, refuse, hang or break off, and the replay of dead letters. */
import { createHmac } from "node:crypto"
import { Effect, type Context } from "effect"
import { type WebhookClient, NotAnswered } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { machineOf, suspendWhileWaiting } from "../world/Machine.ts"
import type { SimulationEnvironment } from "../world/SimulationEnvironment.ts"
import { callApi, type StepAction, purposeOf } from "./ScenarioContext.ts"
import { organisationOf } from "./VirtualAccountSteps.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export class Receivers {
  /** Accepted event ids by URL. */
  readonly taken = new Map<string, Set<string>>()
  private readonly env: SimulationEnvironment
  private readonly secrets = new Map<string, string>()
  private readonly bodies = new Map<string, string>()
  /** Answers by URL, event and attempt; null: none. */
  readonly answers = new Map<string, Array<number | null>>()
  private readonly outages = new Map<string, readonly [from: number, until: number]>()
  private calls = 0

  constructor(env: SimulationEnvironment) {
    this.env = env
  }

  know(url: string, secret: string): void {
    const { chance, focus, time } = this.env
    this.secrets.set(url, secret)
    if (!(focus.outages ?? chance.happens(0.04, `${url} is down`))) return
    const from = time.now + chance.pick([0, 5, 120], `${url} is down from`) * MINUTE
    const until = from + chance.pick([1, 30, 60, 200, 400], `${url} is down for`) * HOUR
    this.outages.set(url, [from, until])
    this.env.count("fault: receiver down for days")
  }

  private isDown(url: string): boolean {
    const [from, until] = this.outages.get(url) ?? [Infinity, 0]
    return from <= this.env.time.now && this.env.time.now < until
  }

  static nameOf(url: string, eventId: string, attempt: string | number): string {
    return `${url} ${eventId} ${attempt}`
  }

  private drawn(url: string, purpose: string) {
    if (this.isDown(url)) return this.env.chance.pick(["refuses", "hangs"] as const, `${purpose} down`)
    const weights = { takes: 85, refuses: 6, hangs: 4, "takes and breaks off": 5 }
    const slow = { takes: 4, refuses: 3, hangs: 5, "takes and breaks off": 1 }
    return this.env.drawn(this.env.focus.hangs === true ? slow : weights, "takes", purpose)
  }

  get client(): Context.Tag.Service<WebhookClient> {
    return {
      post: (request) =>
        Effect.withFiberRuntime((fiber) => {
          this.calls += 1
          const purpose = `delivery ${this.calls} to ${request.url}`
          return Effect.zipRight(
            suspendWhileWaiting(this.env, machineOf(fiber), purpose),
            this.posted(request, purpose)
          )
        })
    }
  }

  private posted(
    { body, headers, url }: Parameters<Context.Tag.Service<WebhookClient>["post"]>[0],
    purpose: string
  ): ReturnType<Context.Tag.Service<WebhookClient>["post"]> {
    return Effect.async((resume) => {
      const { chance, time } = this.env
      const how = this.drawn(url, purpose)
      const event = JSON.parse(body) as { readonly event_id: string }
      this.check(url, body, headers, event.event_id)
      const name = Receivers.nameOf(url, event.event_id, headers["x-service-attempt"] ?? "")
      const answer = (status: number | null) => this.answers.set(name, [...(this.answers.get(name) ?? []), status])
      const millis = how === "hangs" ? 10_000 : chance.between(5, 1500, `${purpose} time`)
      time.after(millis, () => {
        if (how === "takes" || how === "takes and breaks off") this.take(url, event.event_id)
        answer(how === "takes" ? 200 : how === "refuses" ? 500 : null)
        if (how === "takes") return resume(Effect.succeed({ status: 200, text: "" }))
        if (how === "refuses") return resume(Effect.succeed({ status: 500, text: "no" }))
        resume(new NotAnswered({ message: "the connection failed (ECONNRESET)" }))
      })
    })
  }

  private take(url: string, eventId: string): void {
    const known = this.taken.get(url) ?? new Set()
    known.add(eventId)
    this.taken.set(url, known)
  }

  private check(url: string, body: string, headers: Readonly<Record<string, string>>, eventId: string): void {
    const secret = this.secrets.get(url)
    const wanted = secret === undefined ? "" : createHmac("sha256", secret).update(body).digest("hex")
    if (headers["X-Service-Signature"] !== wanted && headers["x-service-signature"] !== wanted) {
      this.env.problem(`a delivery to ${url} does not bear its signature`)
    }
    const before = this.bodies.get(`${url} ${eventId}`)
    if (before !== undefined && before !== body) this.env.problem(`event ${eventId} was told in two ways`)
    this.bodies.set(`${url} ${eventId}`, body)
  }
}

/** Enables a disabled endpoint and replays its dead letters. */
export const replayDeadLetters: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const { endpoints, owner } = organisationOf(scenario, step)
    if (endpoints.length === 0) return
    const { webhookId } = chance.pick(endpoints, `${purpose} which`)
    const path = `/v1/public/webhooks/${webhookId}`
    for (let time = 1; time <= chance.between(1, 3, `${purpose} times`); time++) {
      yield* Effect.sleep(chance.pick([2, 30, 150, 320], `${purpose} hours ${time}`) * HOUR)
      if (scenario.world.tables.webhooks.get(webhookId)?.status === "disabled")
        yield* callApi(scenario, owner, { method: "PATCH", path, body: { status: "active" } })
      const reply = yield* callApi(scenario, owner, { path: `${path}/replay`, body: {} })
      if (reply !== null && reply.status < 300) scenario.env.count("webhooks: replayed")
    }
  })
