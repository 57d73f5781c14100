/** The search of a sanctions screening service, by the public documentation of moov-io/watchman. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Listed {
  readonly name: string
  readonly sourceList: string
  /** Score that it gives to a name that shares all of its words, in any order. */
  readonly match: number
}

type Mood = "well" | "down" | "garbage" | "silent" | "moved" | "odd" | "other"

const wordsOf = (name: string): string => name.toLowerCase().split(/\W+/).filter(Boolean).toSorted().join(" ")

const answer = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(body)
}

/** Listens on a free port until the scope ends. */
export const startWatchmanFake = (listed: ReadonlyArray<Listed>) =>
  Effect.acquireRelease(
    Effect.async<{
      readonly url: string
      readonly asked: Array<URLSearchParams>
      readonly feels: (mood: Mood) => void
      readonly close: () => void
    }>((resume) => {
      let mood: Mood = "well"
      const asked: Array<URLSearchParams> = []
      const server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake")
        // Target of the redirect from `moved`.
        if (pathname === "/elsewhere") return answer(response, 200, JSON.stringify({ entities: null }))
        if (request.method !== "GET" || pathname !== "/v2/search") {
          return answer(response, 404, JSON.stringify({ error: "not found" }))
        }
        asked.push(searchParams)
        if (mood === "silent") return
        if (mood === "down") return answer(response, 503, JSON.stringify({ error: "lists are being loaded" }))
        if (mood === "garbage") return answer(response, 200, "<html>")
        if (mood === "moved") return response.writeHead(302, { location: "/elsewhere" }).end()
        if (mood === "other") return answer(response, 200, JSON.stringify({ SDNs: [], altNames: [] }))
        if (mood === "odd") {
          const entities = [{ name: "MAL\u0000LORY\u001b[31m \u202eBad", sourceList: "us\u0000_ofac", match: 1 }]
          return answer(response, 200, JSON.stringify({ query: {}, entities }))
        }
        const name = searchParams.get("name") ?? ""
        const least = Number(searchParams.get("minMatch") ?? "0")
        const entities = listed
          .filter((one) => wordsOf(one.name) === wordsOf(name) && one.match >= least)
          .map((one) => ({ ...one, entityType: "person", sourceID: "1", person: { name: one.name } }))
        answer(response, 200, JSON.stringify({ query: { name }, entities: entities.length === 0 ? null : entities }))
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, asked, feels: (to) => void (mood = to), close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
