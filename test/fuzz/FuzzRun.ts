/** A run: creates objects, sends requests one after the other and checks every answer. */
import type { Credentials } from "./Callers.ts"
import { type Document, operationsOf } from "./Document.ts"
import { ResponseChecker } from "./ResponseChecker.ts"
import { REQUESTS_PER_OBJECT_SET, plan, type Planned } from "./Plan.ts"
import { type TestObjects, ObjectFactory } from "./TestObjects.ts"
import { RawHttpClient } from "./RawHttpClient.ts"

export interface Options {
  readonly url: string
  readonly credentials: Credentials
  readonly seed: number
  readonly requests: number
  /** Number of the first request. */
  readonly from?: number
  readonly kybSecret?: string
  readonly onFailure?: (line: string) => void
}

export interface Ran {
  readonly failures: ReadonlyArray<string>
  /** Statuses of each operation. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>
}

const SETS = 3

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

/** Command that repeats the request. */
const lineFor = (seed: number, { about, caller, kind, number, sent }: Planned, flaw: string, text: string): string => {
  const body = sent.body === undefined ? "" : ` ${cut(JSON.stringify(sent.body.toString("latin1")), 400)}`
  return [
    `npm run fuzz -- --seed ${seed} --from ${number} --requests 1`,
    `  # ${flaw}: ${sent.method} ${cut(sent.target, 200)}${body}`,
    ` as ${caller.name} (${kind}${about === "" ? "" : `: ${about}`})`,
    text === "" ? "" : ` → ${cut(text, 300)}`
  ].join("")
}

export const run = async (options: Options): Promise<Ran> => {
  const { credentials, from = 0, kybSecret, onFailure, requests, seed, url } = options
  const client = new RawHttpClient(url)
  try {
    const read = await client.send({ method: "GET", target: "/openapi.json", headers: [] })
    if (typeof read === "string") throw new Error(read)
    const document = JSON.parse(read.text) as Document
    const operations = operationsOf(document)
    const checker = new ResponseChecker(document)
    const stocking = new ObjectFactory(client, document, credentials)
    const failures: Array<string> = []
    const counts = new Map<string, Map<number, number>>()
    let objects: TestObjects | undefined
    let chapter = -1
    for (let number = from; number < from + requests; number++) {
      if (objects === undefined || Math.floor(number / REQUESTS_PER_OBJECT_SET) !== chapter) {
        chapter = Math.floor(number / REQUESTS_PER_OBJECT_SET)
        objects = await stocking.create(seed, chapter, SETS)
      }
      const planned = plan(seed, number, { document, operations, objects, kybSecret })
      const answer = await client.send(planned.sent)
      const name = checker.operationOf(planned.sent)?.name ?? "elsewhere"
      const ofOperation = counts.get(name) ?? new Map<number, number>()
      const status = typeof answer === "string" ? 0 : answer.status
      counts.set(name, ofOperation.set(status, (ofOperation.get(status) ?? 0) + 1))
      const flaw = checker.problemWith(planned.sent, planned.caller, answer, objects)
      if (flaw === undefined) continue
      const line = lineFor(seed, planned, flaw, typeof answer === "string" ? "" : answer.text)
      failures.push(line)
      onFailure?.(line)
    }
    return { failures, counts }
  } finally {
    client.close()
  }
}
