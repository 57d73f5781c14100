/** Runs the webhook receivers of the pages, and sends them signed and forged deliveries. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { freePort } from "../bench/FreePort.ts"
import { WebhookClient } from "../../src/webhooks/delivery/WebhookClient.ts"
import { deliveryHeaders } from "../../src/webhooks/delivery/DeliveryAttempt.ts"
import { formatSecret } from "../../src/webhooks/WebhookSecrets.ts"
import { until } from "../payments/support/RealServer.ts"
import { testSettings } from "../support/TestSettings.ts"
import { blocksOf } from "./Pages.ts"
import { installClients } from "../client/support/ClientPackages.ts"

const secret = formatSecret(new Uint8Array(32).fill(7))
const event_id = "0199c2a5-0c3f-7b20-9d10-2c3d4e5f6071"
const body = `{"event_id":"${event_id}","event_type":"payment.completed","data":{"amount": 1500.00, "note":"Grüße ☃"}}`
const delivery = { attempt: 1, event_id, event_type: "payment.completed", payload: body, test: false }

const other = formatSecret(new Uint8Array(32))

interface Sent {
  readonly current?: string
  readonly previous?: string
  readonly text?: string
  /** Seconds since it was signed. */
  readonly ago?: number
  readonly without?: string
}

const send = (url: string, { ago = 0, current = secret, previous, text = body, without }: Sent = {}) =>
  Effect.flatMap(WebhookClient, (client) => {
    const signed = deliveryHeaders(delivery, { current, previous: previous ?? null }, Date.now() - ago * 1000)
    const headers = Object.fromEntries(Object.entries(signed).filter(([name]) => name !== without))
    return Effect.map(client.post({ url, headers, body: text }), ({ status }) => status)
  })

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

const receives = (page: string, file: string, program: string) =>
  describe.skipIf(spawnSync(program, ["--version"]).status !== 0)(`${file} of ${page}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "corridor-receiver-"))
    let receiver: ChildProcess | undefined
    let url = ""
    let complaints = ""

    beforeAll(async () => {
      const snippet = blocksOf(page).find((block) => block.file === file)
      if (snippet === undefined) throw new Error(`${page} has no ${file}`)
      writeFileSync(join(folder, file), snippet.text)
      if (/"@corridor\/client"|^from corridor /m.test(snippet.text)) await installClients(folder)
      const port = await freePort()
      url = `http://127.0.0.1:${port}/hooks`
      const child = spawn(program, [join(folder, file)], {
        env: { ...process.env, PORT: String(port), PYTHONPATH: join(folder, "python"), WEBHOOK_SECRET: secret },
        stdio: ["ignore", "ignore", "pipe"]
      })
      child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
      receiver = child
      await until("it listens", async () => {
        if (child.exitCode !== null) throw new Error(`the receiver ended: ${complaints}`)
        return (await fetch(url, { method: "POST" }).catch(() => undefined)) === undefined ? undefined : true
      })
    }, 60_000)

    afterAll(() => {
      receiver?.kill()
      rmSync(folder, { recursive: true, force: true })
    })

    layer(WebhookClient.layer.pipe(Layer.provide(testSettings())), options)(`run by ${program}`, (it) => {
      it.effect("accepts signed deliveries, also repeated, and nothing else", () =>
        Effect.gen(function* () {
          expect([yield* send(url), yield* send(url)]).toEqual([204, 204])
          expect(yield* send(url, { current: other })).toBe(401)
          expect(yield* send(url, { text: body.replace("1500.00", "9500.00") })).toBe(401)
          for (const without of ["x-service-signature", "webhook-signature", "webhook-timestamp", "webhook-id"]) {
            expect(yield* send(url, { without }), without).toBe(401)
          }
          expect(complaints).not.toMatch(/error|traceback/i)
        })
      )

      it.effect("refuses old and future timestamps", () =>
        Effect.gen(function* () {
          expect([yield* send(url, { ago: 240 }), yield* send(url, { ago: -240 })]).toEqual([204, 204])
          expect([yield* send(url, { ago: 360 }), yield* send(url, { ago: -360 })]).toEqual([401, 401])
        })
      )

      it.effect("accepts both secrets during a rotation", () =>
        Effect.gen(function* () {
          expect(yield* send(url, { current: other, previous: secret })).toBe(204)
          expect(yield* send(url, { current: secret, previous: other })).toBe(204)
          expect(yield* send(url, { current: other, previous: other })).toBe(401)
          expect(complaints).not.toMatch(/error|traceback/i)
        })
      )
    })
  })

receives("docs/webhooks.md", "receiver.mjs", "node")
receives("docs/webhooks.md", "receiver.py", "python3")
receives("docs/client.md", "hooks.mjs", "node")
receives("docs/python.md", "hooks.py", "python3")
