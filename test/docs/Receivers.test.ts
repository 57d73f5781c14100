/** The receivers of the pages are run as they stand there, and sent what the service sends. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HookClient } from "../../src/webhooks/delivery/HookClient.ts"
import { hookHeaders } from "../../src/webhooks/delivery/HookHeaders.ts"
import { formatSecret } from "../../src/webhooks/Secret.ts"
import { freePort, until } from "../payments/support/RealServer.ts"
import { testSettings } from "../support/TestSettings.ts"
import { installClient } from "./InstalledClient.ts"
import { blocksOf } from "./Pages.ts"

const secret = formatSecret(new Uint8Array(32).fill(7))
const event_id = "0199c2a5-0c3f-7b20-9d10-2c3d4e5f6071"
const body = `{"event_id":"${event_id}","data":{"amount": 1500.00, "note":"Grüße ☃"}}`
const delivery = { attempt: 1, event_id, event_type: "payment.completed", payload: body, test: false }

const send = (url: string, signedWith: string, text = body) =>
  Effect.flatMap(HookClient, (client) =>
    Effect.map(
      client.post({
        url,
        headers: hookHeaders(delivery, { current: signedWith, previous: null }, Date.now()),
        body: text
      }),
      ({ status }) => status
    )
  )

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
      if (snippet.text.includes("corridor/client")) await installClient(folder)
      const port = await freePort()
      url = `http://127.0.0.1:${port}/hooks`
      const child = spawn(program, [join(folder, file)], {
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
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

    layer(HookClient.layer.pipe(Layer.provide(testSettings())), options)(`run by ${program}`, (it) => {
      it.effect("takes what is signed with its secret, however often it comes, and nothing else", () =>
        Effect.gen(function* () {
          expect([yield* send(url, secret), yield* send(url, secret)]).toEqual([204, 204])
          expect(yield* send(url, formatSecret(new Uint8Array(32)))).toBe(401)
          expect(yield* send(url, secret, body.replace("1500.00", "9500.00"))).toBe(401)
          expect(complaints).not.toMatch(/error|traceback/i)
        })
      )
    })
  })

receives("docs/webhooks.md", "receiver.mjs", "node")
receives("docs/webhooks.md", "receiver.py", "python3")
receives("docs/client.md", "hooks.mjs", "node")
