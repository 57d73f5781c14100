/**
 * Writes answers to their sockets, and bounds what clients that do not read can hold:
 * - a connection that takes no byte for `timeout` is closed;
 * - one connection has `answerBytesOfConnection` of answers waiting, all of them `mostBytes`: further GETs are 503;
 * - of answers that are made while they are written, each owner has one at a time: a second is 429.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duration, Effect } from "effect"
import { busy, type Busy, RateLimited } from "../../domain/Failure.ts"
import {
  answerAtOnce,
  answerBufferMb,
  answerBytesOfConnection,
  answerPatienceWithoutRoom,
  answerPiece,
  answerTimeout,
  wholeListRetryAfter
} from "../../domain/policies/ServerPolicies.ts"
import { counter, gauge } from "../observability/Metrics.ts"
import { type Outgoing, Streamed } from "./Route.ts"
import { merge } from "../../domain/Merge.ts"

const closedReaders = counter(
  "corridor_http_stalled_readers_total",
  "Connections closed because the client did not read its answer.",
  []
)
const refusedAnswers = counter(
  "corridor_http_answers_refused_total",
  "Large answers refused because too many others wait for their clients to read.",
  []
)
const waitingBytes = gauge(
  "corridor_http_answer_bytes",
  "Bytes of large answers that wait for their clients to read.",
  []
)

closedReaders([], 0)
refusedAnswers([], 0)
waitingBytes([], 0)

const busyList = new RateLimited({
  message:
    "Another list of all records is being read for this organisation. Send this again, or ask for pages with limit.",
  retryAfterSeconds: Duration.toSeconds(wholeListRetryAfter)
})

/** Largest answer that goes behind others of its connection at once; refusals are smaller. */
const TINY = 1024

export interface AnswerLimits {
  readonly timeout?: Duration.Duration
  readonly mostBytes?: number
}

export class AnswerWriter {
  readonly #timeout: number
  readonly #mostBytes: number
  /** Bytes that the system has taken for a client, and since when. */
  readonly #progress = new Map<Socket, { readonly sent: number; readonly since: number }>()
  readonly #waiting = new Map<Socket, number>()
  readonly #streaming = new Set<string>()
  #total = 0

  constructor({ mostBytes = answerBufferMb * 1024 * 1024, timeout = answerTimeout }: AnswerLimits = {}) {
    this.#timeout = Duration.toMillis(timeout)
    this.#mostBytes = mostBytes
  }

  /** Bytes of large answers that wait for their clients. */
  get waiting(): number {
    return this.#total
  }

  /** Closes connections without progress. The kernel's buffers hide small steps, so slow readers move in large ones. */
  closeStalled(sockets: Iterable<Socket>, nowMillis: number): void {
    const patience =
      this.#total > this.#mostBytes / 2
        ? Math.min(this.#timeout, Duration.toMillis(answerPatienceWithoutRoom))
        : this.#timeout
    for (const socket of sockets) {
      if (socket.writableLength === 0) {
        this.#progress.delete(socket)
        continue
      }
      const sent = socket.bytesWritten - socket.writableLength
      const before = this.#progress.get(socket)
      if (before?.sent !== sent) this.#progress.set(socket, { sent, since: nowMillis })
      else if (nowMillis - before.since >= patience) {
        closedReaders([])
        socket.destroy()
      }
    }
    waitingBytes([], this.#total)
  }

  removeSocket(socket: Socket): void {
    this.#progress.delete(socket)
  }

  /**
   * Hands an answer to its socket at once if it is tiny, or if the socket is empty and likely to take all of it. What the
   * system leaves counts as waiting, but for what all share. Returns whether it was written.
   */
  writeAtOnce(
    response: ServerResponse,
    { body, headers, shared, status }: Outgoing,
    common: Readonly<Record<string, string>>
  ): boolean {
    const { socket } = response
    if (body instanceof Streamed) return false
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    const isIdle = socket?.writableLength === 0 && this.#total < this.#mostBytes / 2
    if (length > (socket === null ? TINY : isIdle ? answerAtOnce : answerPiece)) return false
    const lengthHeader = status === 204 || status === 304 ? {} : { "content-length": String(length) }
    response.writeHead(status, merge(common, headers, lengthHeader))
    response.end(body)
    const left = socket === null || shared === true || length <= answerPiece ? 0 : socket.writableLength
    if (socket !== null && left > 0) {
      this.#count(socket, left)
      response.once("close", () => this.#count(socket, -left))
    }
    return true
  }

  /**
   * Ends once all of the answer was handed to the system, or the client is gone. Without room for it, it is refused before
   * its status is sent. Small answers need no room: of one connection only the first in line is in its socket.
   */
  write(
    request: IncomingMessage,
    response: ServerResponse,
    outgoing: Outgoing,
    common: Readonly<Record<string, string>>
  ): Effect.Effect<void, Busy | RateLimited> {
    // Without a Scope: its finalizers compare and copy all services of the fiber.
    return Effect.acquireUseRelease(
      Effect.suspend(() => this.#admit(request, outgoing)),
      () => this.#send(response, outgoing, common),
      (release) => Effect.sync(release)
    )
  }

  #admit(request: IncomingMessage, { body, shared }: Outgoing): Effect.Effect<() => void, Busy | RateLimited> {
    if (body instanceof Streamed) return this.#streamingPlace(body.owner)
    return body === undefined || shared === true
      ? Effect.succeed(() => undefined)
      : this.#room(request.socket, Buffer.byteLength(body), request.method !== "GET")
  }

  #send(
    response: ServerResponse,
    { body, headers, status }: Outgoing,
    common: Readonly<Record<string, string>>
  ): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      if (body instanceof Streamed) {
        response.writeHead(status, { ...common, ...headers })
        return yield* this.#writeStreamed(response, body)
      }
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ?? "")
      response.writeHead(status, { ...common, ...headers, "content-length": bytes.length })
      yield* this.#writePieces(response, bytes)
      response.end()
    })
  }

  #count(socket: Socket, bytes: number): void {
    const waiting = (this.#waiting.get(socket) ?? 0) + bytes
    if (waiting === 0) this.#waiting.delete(socket)
    else this.#waiting.set(socket, waiting)
    this.#total += bytes
  }

  #room(socket: Socket, bytes: number, isDone: boolean): Effect.Effect<() => void, Busy> {
    const ofSocket = this.#waiting.get(socket) ?? 0
    const fits = this.#total + bytes <= this.#mostBytes && ofSocket + bytes <= answerBytesOfConnection
    // Writes always get their answer, and so does the first answer of a connection.
    if (!fits && !isDone && (ofSocket > 0 || this.#total + bytes > this.#mostBytes)) {
      refusedAnswers([])
      return busy()
    }
    this.#count(socket, bytes)
    return Effect.succeed(() => this.#count(socket, -bytes))
  }

  #streamingPlace(owner: string): Effect.Effect<() => void, RateLimited> {
    if (this.#streaming.has(owner)) return busyList
    this.#streaming.add(owner)
    return Effect.succeed(() => void this.#streaming.delete(owner))
  }

  #writePieces(response: ServerResponse, bytes: Buffer): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      for (let at = 0; at < bytes.length && !response.destroyed; at += answerPiece) {
        const piece = bytes.subarray(at, at + answerPiece)
        yield* Effect.async<void>((resume) => void response.write(piece, () => resume(Effect.void)))
      }
    })
  }

  #writeStreamed(response: ServerResponse, { next }: Streamed): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      for (let piece = yield* next; piece !== undefined && !response.destroyed; piece = yield* next) {
        yield* this.#writePieces(response, Buffer.from(piece))
      }
      response.end()
    }).pipe(
      // The status is sent: only a connection that breaks off says that the list did not come to its end.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logWarning("A list broke off", cause),
          Effect.sync(() => void response.destroy())
        )
      )
    )
  }
}
