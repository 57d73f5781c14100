/** Chooses the target of a command: the server of `--url` or CORRIDOR_URL, otherwise the database of the settings. */
import { Context, Effect, Either, Option } from "effect"
import type { Invalid } from "../../domain/Failure.ts"
import { refuse } from "./CommandInput.ts"

/** `from`: the option or variable that holds it, such as `--api-key` or CORRIDOR_TOKEN. */
interface GivenCredential {
  readonly from: string
  readonly kind: "API key" | "token"
  readonly value: string
}

const VISIBLE = /^[!-~]$/

const nameOf = (character: string): string => {
  if (/[\r\n]/.test(character)) return "a line break"
  if (character === " ") return "a space"
  return /\p{Cc}/u.test(character) ? "a control character" : "a character that is not ASCII"
}

/** Finds a character that no credential has, such as a copied line break. Names its position, never the value. */
const credentialProblem = ({ from, kind, value }: GivenCredential): Option.Option<string> => {
  const characters = Array.from(value)
  const at = characters.findIndex((one) => !VISIBLE.test(one))
  return at === -1
    ? Option.none()
    : Option.some(
        `${from} holds ${nameOf(characters[at]!)} (character ${at + 1} of ${characters.length}), which no ${kind} has. Copy it again, without what stands around it.`
      )
}

export interface Server {
  readonly url: string
  readonly credential: { readonly apiKey: string } | { readonly token: string }
}

export class Target extends Context.Tag("cli/Target")<
  Target,
  {
    /** Checks the credential, which a help text does not need. */
    readonly server: Effect.Effect<Option.Option<Server>, Invalid>
    /** Address of the server, for commands without a credential. */
    readonly address: Option.Option<string>
  }
>() {}

const names = ["url", "api-key", "token"] as const
type Name = (typeof names)[number]
type Typed = Readonly<Partial<Record<Name, string>>>

const nameIn = (word: string): Name | undefined =>
  names.find((name) => word === `--${name}` || word.startsWith(`--${name}=`))

interface Words {
  readonly args: ReadonlyArray<string>
  readonly typed: Typed
}

/** Takes the options of the server out of a command line, wherever they are. */
export const extractTarget = (words: ReadonlyArray<string>): Either.Either<Words, Invalid> => {
  const args: Array<string> = []
  const typed: Partial<Record<Name, string>> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const name = nameIn(word)
    if (name === undefined) {
      args.push(word)
      continue
    }
    const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[++at]
    if (value === undefined || value === "") return Either.left(refuse(`--${name} needs a value after it.`))
    if (typed[name] !== undefined) return Either.left(refuse(`--${name} stands there twice.`))
    typed[name] = value
  }
  return Either.right({ args, typed })
}

const WHOLE = /^https?:\/\//

/** `localhost:3000` is what people write. */
export const addressIn = (text: string): Option.Option<string> =>
  Option.map(
    Option.liftThrowable((full: string) => new URL(full))(WHOLE.test(text) ? text : `http://${text}`),
    ({ href }) => href.replace(/\/+$/, "")
  )

/** Flags override environment variables. */
export const targetOf = (
  typed: Typed,
  environment: Readonly<Record<string, string | undefined>>
): (typeof Target)["Service"] => {
  const set = (name: string) => environment[name] || undefined
  const url = typed.url ?? set("CORRIDOR_URL")
  const address = url === undefined ? Option.none() : addressIn(url)
  const typedOne = typed["api-key"] !== undefined || typed.token !== undefined
  const credentials: ReadonlyArray<Omit<GivenCredential, "value"> & { readonly value: string | undefined }> = [
    { from: "--token", kind: "token", value: typed.token },
    { from: "--api-key", kind: "API key", value: typed["api-key"] },
    { from: "CORRIDOR_TOKEN", kind: "token", value: set("CORRIDOR_TOKEN") },
    { from: "CORRIDOR_API_KEY", kind: "API key", value: set("CORRIDOR_API_KEY") }
  ]
  const credential = credentials.find((one): one is GivenCredential => one.value !== undefined)
  const server = Effect.suspend(() => {
    if (typed["api-key"] !== undefined && typed.token !== undefined) {
      return refuse("Give --api-key or --token, not both.")
    }
    if (url === undefined) {
      return typedOne ? refuse("A credential needs a server: say which with --url.") : Effect.succeedNone
    }
    if (Option.isNone(address)) return refuse(`${url} is not the address of a server, such as https://pay.example.`)
    if (credential === undefined) {
      return refuse(
        `Say as whom to talk to ${address.value}: --api-key KEY or --token JWT, or CORRIDOR_API_KEY or CORRIDOR_TOKEN.`
      )
    }
    const { kind, value } = credential
    return Option.match(credentialProblem(credential), {
      onNone: () =>
        Effect.succeedSome({ url: address.value, credential: kind === "token" ? { token: value } : { apiKey: value } }),
      onSome: refuse
    })
  })
  return { server, address }
}

/** True if no server is named. */
export const isLocal = Effect.gen(function* () {
  return Option.isNone(yield* (yield* Target).server)
})

/** Refuses a named server for a command that works on the database only. */
export const requireNoServer = Effect.gen(function* () {
  const { address, server } = yield* Target
  if (Option.isSome(address)) {
    return yield* refuse(
      `This command works beside the database only, not by API: leave --url out, and unset CORRIDOR_URL (${address.value}).`
    )
  }
  yield* server
})
