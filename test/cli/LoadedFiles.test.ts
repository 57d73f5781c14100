/** A help text must not wait for the service to be loaded: what the program reads at its start leads to none of it. */
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { expect, it } from "vitest"
import { commands } from "../../src/cli/Run.ts"
import { cliIn } from "./Cli.ts"

/** Types are gone by then. */
const readAtStart = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(file, "utf8").matchAll(/^(?:import|\} from|export .* from)(?! type\b)[^\n]*"(\.[^"]+\.ts)"/gm)
  ).map(([, to]) => normalize(join(dirname(file), to!)))

const reached = (start: string): ReadonlySet<string> => {
  const seen = new Set<string>()
  const queue = [start]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    // The build puts a table in the place of this file.
    if (!next.endsWith("/DeclaredOperations.ts")) queue.push(...readAtStart(next))
  }
  return seen
}

it("reads the commands and a little of the domain at its start, and nothing of the service", () => {
  const files = Array.from(reached("src/cli/main.ts"))
  expect(files.length).toBeGreaterThan(25)
  const allowed = /^src\/(cli\/(commands|shared)\/|cli\/\w+\.ts$|domain\/|platform\/observability\/Redaction\.ts$)/
  expect(files.filter((file) => !allowed.test(file))).toEqual([])
  expect(Array.from(reached("src/cli/database/LocalUsers.ts")).some((file) => file.startsWith("src/app/"))).toBe(true)
})

const whole = /^src\/(app\/Services\.ts|console\/|hosted\/|contract\/api\/Api\.ts)/

it.each(["LocalBackup", "LocalMoney", "LocalProviders", "LocalUsers"])(
  "%s loads a part of the service, and not the whole",
  (name) => {
    expect(Array.from(reached(`src/cli/database/${name}.ts`)).filter((file) => whole.test(file))).toEqual([])
  }
)

/** Files that a set of handlers loads, besides those of the client itself. */
const loadedBy = (set: string): ReadonlyArray<string> => {
  const text = readFileSync("src/cli/client/InProcessClient.ts", "utf8")
  const [, body = ""] = new RegExp(`^const ${set} = async \\(\\) => \\{([^]*?)^\\}`, "m").exec(text) ?? []
  return Array.from(body.matchAll(/import\("([^"]+)"\)/g), ([, to]) => normalize(join("src/cli/client", to!)))
}

it.each(["payments", "providers", "records", "reserves", "settlements"])(
  "the handlers of %s load a part of the service, and not the whole",
  (set) => {
    const loaded = loadedBy(set)
    expect(loaded.length).toBeGreaterThan(2)
    const read = ["src/cli/client/InProcessClient.ts", ...loaded].flatMap((file) => Array.from(reached(file)))
    expect(read.filter((file) => whole.test(file))).toEqual([])
  }
)

it("shows examples of every command, which name that command, in its help and in docs/cli.md", async () => {
  const page = readFileSync("docs/cli.md", "utf8")
  for (const { examples, path } of commands.all) {
    const { code, stdout } = await cliIn({})(...path.split(" "), "--help")
    expect(code).toBe(0)
    expect(stdout).toContain("EXAMPLES")
    for (const example of examples) {
      expect(example).toContain(`corridor ${path}`)
      expect(stdout).toContain(`  $ ${example}`)
    }
    expect(page, path).toContain(examples[0])
  }
})

it("writes completions for a shell, and nothing else into them", async () => {
  const [bash, zsh, fish] = await Promise.all(["bash", "zsh", "fish"].map((shell) => cliIn({})("--completions", shell)))
  expect(bash!.stdout).toMatch(/^_corridor\(\) \{[^]*^complete .* corridor$/m)
  expect(zsh!.stdout).toMatch(/^#compdef corridor/)
  expect(fish!.stdout).toMatch(/^complete -c corridor/m)
  for (const { code, stdout } of [bash!, zsh!, fish!]) {
    expect(code).toBe(0)
    expect(stdout).toContain("corridor --complete ")
    expect(stdout).not.toContain("EXAMPLES")
  }
})
