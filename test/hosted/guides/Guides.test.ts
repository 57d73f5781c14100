/** Every page of docs/ is served below /docs, as HTML and as Markdown. Its links lead to pages and headings that exist. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { canCorrect, paymentStatuses, transitions } from "../../../src/domain/PaymentStatus.ts"
import { guideRoutes } from "../../../src/hosted/guides/GuidesHttp.ts"
import type { Incoming } from "../../../src/platform/http/Route.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { send } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"

const paths = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `/docs/${name.slice(0, -".md".length)}`)

const linksOf = (from: string, text: string) =>
  Array.from(text.matchAll(/(?:href|src)="(?!https?:|data:)([^"]*)"/g), ([, href]) => {
    const { hash, pathname } = new URL(href!, `http://here${from}`)
    return { from, to: pathname, anchor: decodeURIComponent(hash.slice(1)) }
  })

/** Links of Markdown outside of fenced blocks, without anchors and without those to other hosts. */
const markdownLinksOf = (from: string, text: string) =>
  Array.from(
    text.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/\]\((?!https?:|#)([^)\s]+)\)/g),
    ([, href]) => new URL(href!, `http://here${from}`).pathname
  )

const markdownPaths = paths.map((path) => `${path}.md`)

const PUBLIC_URL = "https://pay.example.com/corridor"

it.effect("are there for the next reader when the first hangs up while they are read", () =>
  Effect.gen(function* () {
    const [page] = yield* guideRoutes
    const read = page!.handle({ params: { page: "errors" }, request: { headers: {} } } as unknown as Incoming)
    const first = yield* Effect.fork(read)
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(first)
    expect((yield* read).status).toBe(200)
  }).pipe(Effect.provide(testSettings({})))
)

onServer("The guides", "memory", { variables: { PUBLIC_URL } }, (it) => {
  it.effect("answer with a page that has a title and loads nothing but its style and pictures", () =>
    Effect.gen(function* () {
      expect(paths.length).toBeGreaterThan(25)
      for (const path of paths) {
        const { headers, status, text } = yield* send(path)
        expect(status, path).toBe(200)
        expect(headers["content-type"]).toBe("text/html; charset=utf-8")
        expect(headers["content-security-policy"]).toBe(
          "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        expect(text, path).toMatch(/<title>[^<]{4,} · Corridor<\/title>/)
        expect(text, path).toMatch(/<h1 id="[^"]+">/)
        expect(text, path).not.toMatch(/<script|<style|style="|<!--/)
      }
    })
  )

  it.effect("link to pages, files and headings that exist", () =>
    Effect.gen(function* () {
      const answers = new Map<string, string>()
      const read = (path: string) =>
        Effect.gen(function* () {
          const known = answers.get(path)
          if (known !== undefined) return known
          const { status, text } = yield* send(path)
          expect(status, path).toBe(200)
          answers.set(path, text)
          return text
        })
      for (const path of paths) {
        for (const { anchor, from, to } of linksOf(path, yield* read(path))) {
          const target = yield* read(to)
          if (anchor !== "") expect(target, `${from} leads to ${to}#${anchor}`).toContain(` id="${anchor}"`)
        }
      }
      expect(answers.has("/docs"), "the API reference").toBe(true)
      expect(answers.has("/docs/guides.css")).toBe(true)
    })
  )

  it.effect("are all listed at /docs/guides", () =>
    Effect.gen(function* () {
      const { text } = yield* send("/docs/guides")
      const listed = new Set(linksOf("/docs/guides", text).map(({ to }) => to))
      expect(paths.filter((path) => !listed.has(path))).toEqual([])
    })
  )

  it.effect("are Markdown under their own name, which each page links to", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        const { text: page } = yield* send(path)
        const href = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(page)?.[1] ?? ""
        expect(new URL(href, `http://here${path}`).pathname).toBe(`${path}.md`)
        const { headers, status, text } = yield* send(`${path}.md`)
        expect(status, path).toBe(200)
        expect(headers["content-type"]).toBe("text/markdown; charset=utf-8")
        expect(text, path).toMatch(/^# \S/)
        expect(text, path).not.toMatch(/^<!--/m)
        const source = readFileSync(`docs${path.slice("/docs".length)}.md`, "utf8")
        const blocks = /^```[^]*?^```$/gm
        expect(text.match(blocks), path).toEqual(source.match(blocks))
      }
      expect((yield* send("/docs/none.md")).status).toBe(404)
    })
  )

  it.effect("link from their Markdown to Markdown and files that the service has", () =>
    Effect.gen(function* () {
      const targets = new Set<string>()
      for (const path of markdownPaths)
        for (const to of markdownLinksOf(path, (yield* send(path)).text)) targets.add(to)
      expect(targets.size).toBeGreaterThan(25)
      const statuses = yield* Effect.forEach(targets, (to) => Effect.map(send(to), ({ status }) => `${status} ${to}`))
      expect(statuses.filter((one) => !one.startsWith("200 "))).toEqual([])
      expect(Array.from(targets).filter((to) => paths.includes(to))).toEqual([])
    })
  )

  it.effect("are all listed at /llms.txt, by addresses below PUBLIC_URL that answer", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send("/llms.txt")
      expect(status).toBe(200)
      expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
      expect(text).toMatch(/^# Corridor\n\n> \S/)
      const links = Array.from(text.matchAll(/\]\(([^)]*)\)/g), ([, href]) => href!)
      expect(links.filter((href) => !href.startsWith(`${PUBLIC_URL}/`))).toEqual([])
      const listed = links.map((href) => href.slice(PUBLIC_URL.length))
      expect([...markdownPaths, "/docs", "/openapi.json"].filter((path) => !listed.includes(path))).toEqual([])
      for (const path of listed) expect((yield* send(path)).status, path).toBe(200)
      expect((yield* send("/llms.txt", { method: "HEAD" })).status).toBe(200)
    })
  )

  it.effect("draw every diagram, that of the states with an arrow for each transition", () =>
    Effect.gen(function* () {
      const drawn = new Map<string, ReadonlyArray<string>>()
      for (const path of paths) {
        const source = readFileSync(`docs/${path.slice("/docs/".length)}.md`, "utf8")
        const { text } = yield* send(path)
        const pictures = Array.from(text.matchAll(/<figure class="diagram"[^]*?<\/figure>/g), ([one]) => one)
        expect(pictures.length, path).toBe(source.match(/^```mermaid$/gm)?.length ?? 0)
        expect(text, path).not.toMatch(/<code>(sequenceDiagram|stateDiagram|flowchart)/)
        drawn.set(path, pictures)
      }
      const [states = ""] = drawn.get("/docs/payment-flows") ?? []
      const corrections = paymentStatuses.flatMap((from) => paymentStatuses.filter((to) => canCorrect(from, to)))
      expect(states.match(/class="arrow/g)).toHaveLength(Object.values(transitions).flat().length + corrections.length)
      for (const status of paymentStatuses) expect(states).toContain(`>${status}</text>`)
    })
  )

  it.effect("leave the reference's files alone, and answer 404 for others", () =>
    Effect.gen(function* () {
      expect((yield* send("/docs")).text).toContain("API reference")
      expect((yield* send("/openapi.json")).text, "the reference links to the guides").toContain("(./docs/guides)")
      expect((yield* send("/docs/none")).status).toBe(404)
      expect((yield* send("/docs/decisions/none")).status).toBe(404)
      expect((yield* send("/docs/..%2Fpackage.json")).status).toBeGreaterThanOrEqual(400)
    })
  )
})
