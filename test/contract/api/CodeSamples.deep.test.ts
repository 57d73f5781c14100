/** The samples of the reference are programs: every one is run, in its language, against a server. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { describeAccess } from "../../../src/domain/Access.ts"
import { ORG } from "../../../src/contract/openapi/CodeSamples.ts"
import { installClients } from "../../client/support/ClientPackages.ts"
import { people } from "../../support/TestCredentials.ts"
import { onServer, TestServer } from "../../support/TestServer.ts"
import { fetchDocument, operationsOf, type OperationObject } from "./DocumentedOperations.ts"

/** The user of all examples. */
const USER = "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"

const PUBLIC_URL = "https://pay.example.com"

type Sampled = OperationObject & {
  readonly "x-codeSamples": ReadonlyArray<{ readonly label: string; readonly source: string }>
}

interface Sample {
  readonly name: string
  readonly source: string
}

/** One program of all samples, each after a line with its name and followed by its status and the answer. */
interface Language {
  readonly label: string
  readonly command: string
  readonly file: string
  readonly program: (samples: ReadonlyArray<Sample>) => string
}

const IMPORT = 'import { createCorridor } from "@corridor/client"'

const said = (name: string): string => JSON.stringify(`@@ ${name}`)

const languages: ReadonlyArray<Language> = [
  {
    label: "curl",
    command: "bash",
    file: "samples.sh",
    program: (samples) =>
      [
        `curl() { command curl -s -o answer -w '%{http_code} ' "$@"; cat answer; echo; }`,
        ...samples.flatMap(({ name, source }) => [`echo '@@ ${name}'`, ": > answer", source])
      ].join("\n")
  },
  {
    label: "JavaScript",
    command: process.execPath,
    file: "samples.mjs",
    program: (samples) =>
      [
        IMPORT,
        'const show = (status, answer) => console.log(`${status} ${JSON.stringify(answer) ?? ""}`)',
        ...samples.map(({ name, source }) => {
          expect(source).toContain(IMPORT)
          const body = source.replace(IMPORT, "").replace("console.log(answer)", "show(200, answer)")
          return `console.log(${said(name)})
await (async () => {\n${body}\n})().catch((error) => show(error.status, error.body ?? error.message))`
        })
      ].join("\n")
  },
  {
    label: "Python",
    command: "python3",
    file: "samples.py",
    program: (samples) =>
      [
        "import json",
        "from corridor import CorridorError",
        "def show(status, answer):",
        '    print(status, json.dumps(answer, default=str, separators=(",", ":"), ensure_ascii=False))',
        ...samples.flatMap(({ name, source }) => [
          `print(${said(name)})`,
          "try:",
          source.replace("print(answer)", "show(200, answer)").replaceAll(/^/gm, "    "),
          "except CorridorError as refused:",
          "    show(refused.status, dict(refused.body))"
        ])
      ].join("\n")
  }
]

const isThere = (command: string): boolean => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv) =>
  Effect.async<{ readonly code: number | null; readonly output: string; readonly errors: string }>((resume) => {
    const child = spawn(command, args, { cwd, env })
    const written = { output: "", errors: "" }
    child.stdout.on("data", (chunk: Buffer) => (written.output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (written.errors += chunk.toString()))
    child.once("close", (code) => resume(Effect.succeed({ code, ...written })))
  })

const [platform, trends] = [describeAccess("platform"), describeAccess("trends")]
const stranger = describeAccess("person")

/** Ids of examples do not exist here; any other mistake in a request would be refused before that. */
const expected = ({ description = "", security = [] }: OperationObject): RegExp => {
  if (security.some((one) => Object.keys(one).length === 0)) return /^401 /
  if (description.includes(stranger)) return /^403 .*token of a person/
  return /^(20[0-9]\b|404 .*"message":"[^"]*no ([^"]* with this id|such provider)\.|409 .*(pending|approved|open invitation|is called))/i
}

onServer("The samples of the reference", "memory", { variables: { PUBLIC_URL } }, (it) => {
  for (const { command, file, label, program } of languages) {
    const suite = isThere(command) ? it.effect : it.effect.skip
    suite(`are programs in ${label} that reach their operations (needs ${command})`, () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        const { baseUrl } = yield* TestServer
        const operations = operationsOf(yield* fetchDocument)
        const jwt = admin.authorization.replace("Bearer ", "")
        const asAdmin = (source: string) =>
          source
            .replaceAll(/\$CORRIDOR_API_KEY/g, "NOBODY")
            .replaceAll("apiKey: process.env.CORRIDOR_API_KEY", `token: ${JSON.stringify(jwt)}`)
            .replaceAll('api_key=os.environ["CORRIDOR_API_KEY"]', `token=${JSON.stringify(jwt)}`)
            .replaceAll("NONE", admin.authorization)
            .replaceAll("NOBODY", "NONE")
        const samples = operations.map(({ about, name }) => {
          const [sample] = (about as Sampled)["x-codeSamples"].filter((one) => one.label === label)
          const here = sample!.source
            .replaceAll(PUBLIC_URL, baseUrl)
            .replaceAll(ORG, acme.org_id)
            .replaceAll(USER, acme.userId("staff"))
          return {
            name,
            source: [platform, trends].some((access) => about.description?.includes(access)) ? asAdmin(here) : here
          }
        })
        const folder = mkdtempSync(join(tmpdir(), "corridor-samples-"))
        if (label !== "curl") yield* Effect.promise(() => installClients(folder))
        writeFileSync(join(folder, file), program(samples))
        const env = { ...process.env, CORRIDOR_API_KEY: acme.api_key, PYTHONPATH: join(folder, "python") }
        const { code, errors, output } = yield* run(command, [file], folder, env)
        rmSync(folder, { recursive: true, force: true })
        expect([code, errors]).toEqual([0, ""])
        const answers = new Map(
          output
            .split(/^@@ /m)
            .slice(1)
            .map((text) => [text.slice(0, text.indexOf("\n")), text.slice(text.indexOf("\n") + 1).trim()] as const)
        )
        expect(answers.size).toBe(operations.length)
        const strange = operations.flatMap(({ about, name }) => {
          const answer = answers.get(name) ?? ""
          return expected(about).test(answer) ? [] : [`${name}: ${answer}`]
        })
        expect(strange).toEqual([])
      })
    )
  }
})
