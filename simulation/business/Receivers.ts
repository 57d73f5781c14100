/** Those who receive webhooks: they take, hang, refuse and lie, and remember what they were told. */
import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { type HookClient, NotAnswered } from "../../src/webhooks/delivery/HookClient.ts"
import type { Context } from "effect"
import type { Outside } from "../world/Outside.ts"

export class Receivers {
  /** Event ids that were taken, by address. */
  readonly taken = new Map<string, Set<string>>()
  private readonly outside: Outside
  private readonly secrets = new Map<string, string>()
  private readonly bodies = new Map<string, string>()
  private calls = 0

  constructor(outside: Outside) {
    this.outside = outside
  }

  know(url: string, secret: string): void {
    this.secrets.set(url, secret)
  }

  get client(): Context.Tag.Service<HookClient> {
    return {
      post: ({ body, headers, url }) =>
        Effect.async((resume) => {
          const { chance, time } = this.outside
          this.calls += 1
          const purpose = `delivery ${this.calls} to ${url}`
          const how = this.outside.drawn(
            { takes: 85, refuses: 6, hangs: 4, "takes and breaks off": 5 },
            "takes",
            purpose
          )
          const event = JSON.parse(body) as { readonly event_id: string }
          this.check(url, body, headers, event.event_id)
          const millis = how === "hangs" ? 10_000 : chance.between(5, 1500, `${purpose} time`)
          time.after(millis, () => {
            if (how === "takes" || how === "takes and breaks off") this.take(url, event.event_id)
            if (how === "takes") return resume(Effect.succeed({ status: 200, text: "" }))
            if (how === "refuses") return resume(Effect.succeed({ status: 500, text: "no" }))
            resume(new NotAnswered({ message: "the connection failed (ECONNRESET)" }))
          })
        })
    }
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
      this.outside.problem(`a delivery to ${url} does not bear its signature`)
    }
    const before = this.bodies.get(`${url} ${eventId}`)
    if (before !== undefined && before !== body) this.outside.problem(`event ${eventId} was told in two ways`)
    this.bodies.set(`${url} ${eventId}`, body)
  }
}
