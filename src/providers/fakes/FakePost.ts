/** Callbacks of a fake on their way: sent over real HTTP, and again a few times where they are not taken. */
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { Duration } from "effect"
import { fakeCallbackRetries, fakeCallbackTimeout } from "../../domain/policies/Sandbox.ts"
import type { Chores } from "./Chores.ts"
import type { FakeCallback } from "./Fake.ts"

const isTaken = (status: number): boolean => status >= 200 && status < 300

/** The status of the answer; nothing where none came. */
const sendOnce = (url: URL, { body, headers, method = "POST" }: FakeCallback, { untilStopped }: Chores) =>
  new Promise<number | undefined>((resolve) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp
    const bytes = Buffer.from(body)
    const options = {
      method,
      headers: { "content-type": "application/json", ...headers, "content-length": bytes.length },
      // A connection of its own, so that none is left open when the fake ends.
      agent: false as const,
      timeout: Duration.toMillis(fakeCallbackTimeout)
    }
    const request = send(url, options, (response) => {
      response.resume()
      response.on("close", () => resolve(response.statusCode))
    })
    const { over } = untilStopped(() => request.destroy())
    request.on("timeout", () => request.destroy())
    request.on("close", () => {
      over()
      resolve(undefined)
    })
    request.on("error", () => resolve(undefined))
    request.end(bytes)
  })

/** Whether it was taken in the end. */
export const deliver = async (
  callback: FakeCallback,
  to: string,
  pace: Duration.Duration,
  chores: Chores
): Promise<boolean> => {
  const url = new URL(to)
  for (const times of [0, ...fakeCallbackRetries]) {
    if (times > 0) await chores.sleep(Duration.times(pace, times))
    if (chores.isStopped()) return false
    const status = await sendOnce(url, callback, chores)
    if (status !== undefined && isTaken(status)) return true
  }
  return false
}
