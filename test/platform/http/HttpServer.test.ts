/** Answers of Node itself, before a request is parsed, have the headers of every other answer. */
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onServer, TestServer } from "../../support/TestServer.ts"

/** Sends these bytes and reads until the server hangs up. */
const answerTo = (bytes: string) =>
  Effect.flatMap(TestServer, ({ port }) =>
    Effect.async<string, Error>((resume) => {
      const socket = connect(port, "127.0.0.1")
      let answer = ""
      socket.setEncoding("latin1")
      socket.on("data", (chunk: string) => (answer += chunk))
      socket.on("error", (error) => resume(Effect.fail(error)))
      socket.on("end", () => resume(Effect.succeed(answer)))
      socket.write(bytes)
    })
  )

onServer("The parser of requests", "memory", {}, (it) => {
  for (const [what, bytes, status] of [
    ["garbage", "nonsense\r\n\r\n", "400 Bad Request"],
    [
      "headers that are too long",
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
      "431 Request Header Fields Too Large"
    ]
  ] as const) {
    it.effect(`refuses ${what}, with nosniff`, () =>
      Effect.gen(function* () {
        const answer = yield* answerTo(bytes)
        expect(answer.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`)
        expect(answer.toLowerCase()).toContain("\r\nx-content-type-options: nosniff\r\n")
        expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n")
      })
    )
  }
})
