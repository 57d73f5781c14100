/** An adapter and a fake, joined in memory: what the one sends the other answers, and every fault of a wire can be played. */
import { Effect, Either } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import {
  MaybeSent,
  NeverSent,
  type ProviderCall,
  type ProviderHttp,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import type { Fake, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../../../src/providers/fakes/Fake.ts"
import { type Entry, type FakeBooks, makeFakeBooks } from "../../../src/providers/fakes/FakeBooks.ts"
import { type Fate, fateOf } from "../../../src/providers/fakes/Magic.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { readJson } from "../../../src/providers/port/WireJson.ts"

export const callbackUrl = "https://corridor.example/v1/callbacks/fake"

export const fakeUrl = "https://fake.example"

export interface MemoryWire {
  readonly books: FakeBooks
  readonly http: ProviderHttp
  readonly world: FakeWorld
  /** Every call, as it was made. */
  readonly calls: ReadonlyArray<ProviderCall>
  readonly answers: ReadonlyArray<{ readonly call: ProviderCall; readonly reply: ProviderReply }>
  /** Whatever is under way comes to its end; the callbacks about it. */
  readonly settle: () => ReadonlyArray<CallbackRequest>
  readonly callbackOf: (entry: Entry) => CallbackRequest | undefined
  /** What else is at other addresses. */
  readonly elsewhere: Map<string, () => string>
}

const routeFor = (routes: ReadonlyArray<FakeRoute>, method: string, path: string) => {
  for (const route of routes) {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    const match = new RegExp(`^${route.path.replace(/:\w+/g, "([^/]+)")}$`).exec(path)
    if (route.method === method && match !== null) {
      return { route, params: Object.fromEntries(names.map((name, index) => [name, match[index + 1]!])) }
    }
  }
  return undefined
}

const replyOf = ({ body, headers, status }: FakeReply): ProviderReply => {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers: headers ?? {}, text, json: Either.getOrUndefined(readJson(text)) }
}

const endOf = (entry: Entry): void => {
  switch (entry.fate) {
    case "silent":
      return
    case "fails_later":
    case "declined_instrument":
    case "declined_provider":
      entry.state = "failed"
      entry.reason = "It failed later"
      return
    case "other_amount":
      entry.state = "completed"
      entry.moved = new Money({ currency: entry.asked.currency, minor: entry.asked.minor / 2n })
      return
    default:
      entry.state = "completed"
  }
}

export const memoryWire = (fake: Fake, now: () => Date): MemoryWire => {
  const books = makeFakeBooks()
  const world: FakeWorld = {
    books,
    url: fakeUrl,
    callbackUrl,
    now,
    take: ({ id, kept = {}, kind, money, of = null, reference, waits = false }) =>
      books.open({
        id,
        reference,
        kind,
        asked: money,
        fate: fateOf(money, fake.name),
        state: waits ? "waiting" : "processing",
        moved: money,
        reason: null,
        createdAt: now(),
        of,
        kept
      }).entry,
    approve: (entry) => {
      entry.state = "processing"
    }
  }
  const routes = fake.routes(world)
  const calls: Array<ProviderCall> = []
  const answers: Array<{ call: ProviderCall; reply: ProviderReply }> = []
  const elsewhere = new Map<string, () => string>()
  const played = new Set<string>()

  const answer = async (call: ProviderCall): Promise<FakeReply | "cut" | "unreachable"> => {
    if (call.origin !== undefined && call.origin !== fakeUrl) {
      const text = elsewhere.get(`${call.origin}${call.path}`)
      return text === undefined ? "unreachable" : { status: 200, body: text() }
    }
    const [path = "", search = ""] = call.path.split("?")
    const found = routeFor(routes, call.method, path)
    if (found === undefined) return { status: 404, body: { message: "no such route" } }
    const headers: Record<string, string> = {
      host: new URL(fakeUrl).host,
      ...Object.fromEntries(Object.entries(call.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
    }
    const request: FakeRequest = {
      method: call.method,
      path,
      params: found.params,
      query: new URLSearchParams(search),
      headers,
      body: call.body ?? ""
    }
    const money = found.route.moves?.(request)
    const fate: Fate = money === undefined ? "completes" : fateOf(money, fake.name)
    const order = JSON.stringify([
      call.method,
      path,
      headers["x-idempotency-key"] ?? headers["x-request-id"] ?? call.body
    ])
    // A fault is played once for an order: whoever repeats it finds what is true.
    const isPlayed = played.has(order)
    played.add(order)
    switch (isPlayed ? "completes" : fate) {
      case "lost_before":
        return "cut"
      case "server_error":
        return { status: 500, body: "oops" }
      case "busy":
        return { status: 429, headers: { "retry-after": "7" }, body: "" }
      case "lost_after":
        await found.route.answer(request, fate)
        return "cut"
      case "garbage":
        await found.route.answer(request, fate)
        return { status: 200, body: "<html>" }
      default:
        return found.route.answer(request, fate)
    }
  }

  const callbackOf = (entry: Entry): CallbackRequest | undefined => {
    const callback = fake.callbackOf(entry, world)
    const { host, pathname } = new URL(callbackUrl)
    return callback === undefined
      ? undefined
      : {
          method: callback.method ?? "POST",
          path: pathname,
          query: {},
          authority: host,
          headers: Object.fromEntries(
            Object.entries(callback.headers).map(([name, value]) => [name.toLowerCase(), value])
          ),
          body: Buffer.from(callback.body)
        }
  }

  return {
    books,
    world,
    calls,
    answers,
    elsewhere,
    http: {
      call: (call) =>
        Effect.gen(function* () {
          calls.push(call)
          const answered = yield* Effect.promise(() => answer(call))
          if (answered === "cut") return yield* new MaybeSent({ reason: "the connection was cut" })
          if (answered === "unreachable") return yield* new NeverSent({ reason: "nobody is there" })
          const reply = replyOf(answered)
          answers.push({ call, reply })
          return reply
        })
    },
    callbackOf,
    settle: () => {
      const open = books.all().filter(({ state }) => state === "processing")
      open.forEach(endOf)
      return open.flatMap((entry) => callbackOf(entry) ?? [])
    }
  }
}
