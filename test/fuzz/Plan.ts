/** Plans one request from a seed and a number. */
import { createHmac } from "node:crypto"
import type { Caller } from "./Callers.ts"
import { type Document, type Operation, PREFIX } from "./Document.ts"
import { Draw } from "./Draw.ts"
import { mutate } from "./Mutations.ts"
import type { Ids, TestObjects } from "./TestObjects.ts"
import { written } from "./JsonText.ts"
import { exampleRequest, type Parts, validRequest } from "./ValidRequests.ts"
import { malformed } from "./MalformedRequests.ts"
import type { Sent } from "./RawHttpClient.ts"

export type Kind = "example" | "valid" | "mutated" | "malformed"

export interface Planned {
  readonly number: number
  readonly kind: Kind
  readonly caller: Caller
  readonly sent: Sent
  readonly about: string
}

export const REQUESTS_PER_OBJECT_SET = 1000

const able = ["key", "key", "key", "key", "org-admin", "admin", "admin", "token and key"]

/** Operations that would remove our members, or that the other organisation has started. */
const forNeighbour = ["DELETE /organizations/{org_id}/members/{user_id}", "POST /organizations/webhook/kyb"]

const kindOf = (draw: Draw): Kind => (draw.happens(0.35) ? "valid" : draw.happens(0.7) ? "mutated" : "malformed")

const encoded = (value: string): string => encodeURIComponent(value.toWellFormed())

const sentOf = ({ body, headers, operation, path, query }: Parts, caller: Caller): Sent => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(path[name] ?? ""))
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&")
  return {
    method: operation.method,
    target: `${PREFIX}${filled}${search === "" ? "" : `?${search}`}`,
    headers: [
      ...caller.headers,
      ...headers,
      ...(body === undefined ? [] : [["content-type", "application/json"] as const])
    ],
    ...(body === undefined ? {} : { body: Buffer.from(written(body)) })
  }
}

export interface PlanContext {
  readonly document: Document
  readonly operations: ReadonlyArray<Operation>
  readonly objects: TestObjects
  /** Secret of KYB callbacks, if known. */
  readonly kybSecret: string | undefined
}

const signed = (sent: Sent, { kybSecret }: PlanContext, operation: Operation, draw?: Draw): Sent => {
  const isCallback = operation.path === "/organizations/webhook/kyb"
  if (!isCallback || kybSecret === undefined || draw?.happens(0.2) === true) return sent
  const signature = createHmac("sha256", kybSecret)
    .update(sent.body ?? Buffer.alloc(0))
    .digest("hex")
  return { ...sent, headers: [...sent.headers, ["x-kyb-signature", signature]] }
}

/** The documented example from a caller with access: it must succeed. */
const plain = (
  number: number,
  operation: Operation,
  { document, kybSecret, operations, objects }: PlanContext
): Planned => {
  const spoils = /cancel|freeze|rotate/.test(operation.path)
  const theirTurn = forNeighbour.includes(operation.name)
  const ids = theirTurn ? objects.theirs : objects.ours.at(operation.method === "DELETE" ? -1 : spoils ? 1 : 0)!
  const forAdmins = /Who may call it: platform admins/.test(operation.about.description ?? "")
  const caller = objects.callers[theirTurn ? "neighbour's key" : forAdmins ? "admin" : "key"]!
  const parts = exampleRequest(document, operation, ids, objects, number)
  const sent = signed(sentOf(parts, caller), { document, kybSecret, operations, objects }, operation)
  return { number, kind: "example", caller, sent, about: "" }
}

export const plan = (seed: number, number: number, context: PlanContext): Planned => {
  const { document, operations, objects } = context
  const operation = operations[number % operations.length]!
  if (number % REQUESTS_PER_OBJECT_SET < operations.length) return plain(number, operation, context)
  const draw = new Draw(seed, `request ${number}`)
  const kind = kindOf(draw)
  const theirTurn = forNeighbour.includes(operation.name)
  const ids: Ids = theirTurn ? objects.theirs : draw.pick(objects.ours)
  const anyone = draw.pick(Object.values(objects.callers))
  const caller = draw.happens(0.4) ? anyone : objects.callers[theirTurn ? "neighbour's key" : draw.pick(able)]!
  const right = validRequest(document, operation, ids, objects, draw, number)
  if (kind === "valid") {
    return { number, kind, caller, sent: signed(sentOf(right, caller), context, operation, draw), about: "" }
  }
  if (kind === "mutated") {
    const { about, parts } = mutate(right, ids, objects.theirs, draw)
    return { number, kind, caller, sent: signed(sentOf(parts, caller), context, operation, draw), about }
  }
  const { about, sent } = malformed(sentOf(right, caller), draw)
  return { number, kind, caller, sent: signed(sent, context, operation, draw), about }
}
