/** Log of all requests and their replies. */
import type { KeyedReplies } from "../../simulation/business/ScenarioContext.ts"
import type { HttpReply } from "../../simulation/world/SimulationEnvironment.ts"

/** Requests under one key, repeated until answered. */
export interface LoggedRequest extends KeyedReplies {
  readonly kind: string
  readonly key: string
  readonly orgId: string
  readonly path: string
  readonly body: object
  readonly apiKey: string
}

const SHOWN_CHARACTERS = 200

export class RequestLog {
  readonly orders = new Map<string, LoggedRequest>()
  readonly answers = new Map<string, number>()
  readonly problems: Array<string> = []

  open(order: Omit<LoggedRequest, "replies" | "what">): LoggedRequest {
    const opened = { ...order, what: `${order.kind} ${order.key}`, replies: [] }
    this.orders.set(order.key, opened)
    return opened
  }

  count(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1)
  }

  /** Any 500 is a violation. */
  checkStatus(what: string, url: string, { body, status }: Pick<HttpReply, "status" | "body">): void {
    if (status !== 500) return
    this.problems.push(
      `a caller was answered 500: ${what} at ${new Date().toISOString()}, ${url}: ${body.slice(0, SHOWN_CHARACTERS)}`
    )
  }

  unanswered(): ReadonlyArray<LoggedRequest> {
    return Array.from(this.orders.values()).filter(({ replies }) => replies.length === 0)
  }

  kinds(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { kind } of this.orders.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return counts
  }
}
