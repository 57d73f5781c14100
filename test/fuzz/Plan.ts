/** One request from a seed and a number: for whom, how right or wrong, and as what. */
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

export type Kind = "plain" | "valid" | "nearly" | "wild"

export interface Planned {
  readonly number: number
  readonly kind: Kind
  readonly caller: Caller
  readonly sent: Sent
  readonly about: string
}

/** So many requests live on one stock. */
export const REQUESTS_PER_OBJECT_SET = 1000

const able = ["key", "key", "key", "key", "org-admin", "admin", "admin", "token and key"]

/** What would cost us our own people, or has been begun by the neighbour. */
const forNeighbour = ["DELETE /organizations/{org_id}/members/{user_id}", "POST /organizations/webhook/kyb"]

const kindOf = (draw: Draw): Kind => (draw.happens(0.35) ? "valid" : draw.happens(0.7) ? "nearly" : "wild")

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
  readonly stock: TestObjects
  /** What KYB callbacks are signed with, where that is known. */
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

/** The example as it stands, for somebody who may: what comes after it may be refused, this is not. */
const plain = (
  number: number,
  operation: Operation,
  { document, kybSecret, operations, stock }: PlanContext
): Planned => {
  const spoils = /cancel|freeze|rotate/.test(operation.path)
  const theirTurn = forNeighbour.includes(operation.name)
  const ids = theirTurn ? stock.theirs : stock.ours.at(operation.method === "DELETE" ? -1 : spoils ? 1 : 0)!
  const forAdmins = /Who may call it: platform admins/.test(operation.about.description ?? "")
  const caller = stock.callers[theirTurn ? "neighbour's key" : forAdmins ? "admin" : "key"]!
  const parts = exampleRequest(document, operation, ids, stock, number)
  const sent = signed(sentOf(parts, caller), { document, kybSecret, operations, stock }, operation)
  return { number, kind: "plain", caller, sent, about: "" }
}

export const plan = (seed: number, number: number, ground: PlanContext): Planned => {
  const { document, operations, stock } = ground
  const operation = operations[number % operations.length]!
  if (number % REQUESTS_PER_OBJECT_SET < operations.length) return plain(number, operation, ground)
  const draw = new Draw(seed, `request ${number}`)
  const kind = kindOf(draw)
  const theirTurn = forNeighbour.includes(operation.name)
  const ids: Ids = theirTurn ? stock.theirs : draw.pick(stock.ours)
  const anyone = draw.pick(Object.values(stock.callers))
  const caller = draw.happens(0.4) ? anyone : stock.callers[theirTurn ? "neighbour's key" : draw.pick(able)]!
  const right = validRequest(document, operation, ids, stock, draw, number)
  if (kind === "valid") {
    return { number, kind, caller, sent: signed(sentOf(right, caller), ground, operation, draw), about: "" }
  }
  if (kind === "nearly") {
    const { about, parts } = mutate(right, ids, stock.theirs, draw)
    return { number, kind, caller, sent: signed(sentOf(parts, caller), ground, operation, draw), about }
  }
  const { about, sent } = malformed(sentOf(right, caller), draw)
  return { number, kind, caller, sent: signed(sent, ground, operation, draw), about }
}
