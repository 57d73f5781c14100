/** Whoever stands higher may use what stands lower, never the other way round; the entry points use everything. */
const wings = [
  ["app", "cli"],
  ["hosted"],
  ["treasury"],
  ["payments"],
  ["money"],
  ["providers"],
  ["people"],
  ["webhooks"],
  ["platform"],
  ["contract"],
  ["domain"]
]

/** Beside the house, for other programs and for the browser: each stands on those after it, and on the contract. */
const beside = ["console", "reference", "client"]

const DEEPEST = 4

/** One file loads test/fakes, by a lazy import(): the override at the end. */
const noTests = { regex: "^(\\.\\./)+test/", message: "src does not import from test." }

/** Steps up out of a wing are counted: its own folders may have the name of another. */
const restricted = (wing, forbidden, message) =>
  Array.from({ length: DEEPEST + 1 }, (_, depth) => {
    const patterns = [{ regex: `^(\\.\\./){${depth + 1}}(${forbidden.join("|")}|main\\.ts)(/|$)`, message }, noTests]
    const files = [`src/${wing}/${"*/".repeat(depth)}*.{ts,tsx}`]
    return { files, rules: { "no-restricted-imports": ["error", { patterns }] } }
  })

const arrowsDown = wings.slice(1).flatMap(([wing], at) => {
  const above = [...wings.slice(0, at + 1).flat(), ...beside]
  return restricted(wing, above, `src/${wing} stands below it: hand down what it needs, or move it.`)
})

const implementation = wings.flat().filter((wing) => wing !== "contract" && wing !== "domain")

const standingBeside = beside.flatMap((wing, at) =>
  restricted(
    wing,
    [...implementation, ...beside.slice(0, at)],
    `src/${wing} stands on the contract, not on what implements it.`
  )
)

export default {
  plugins: ["typescript", "oxc"],
  jsPlugins: ["./scripts/lint/plugin.mjs"],
  categories: { correctness: "error" },
  options: { reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist/**", "coverage/**"],
  rules: {
    "no-empty": "error",
    "no-console": "error",
    "no-restricted-properties": [
      "error",
      { object: "URL", property: "canParse", message: "Node 20 misreads é there: urlOf of src/domain/Url.ts." }
    ],
    eqeqeq: "error",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }]
  },
  overrides: [
    {
      files: ["src/**/*.{ts,tsx}", "migrations/**/*.ts"],
      rules: { "corridor/replayable": "error", "corridor/no-lost-error": "error", "corridor/no-float": "error" }
    },
    { files: ["src/{console,reference}/**/*.{ts,tsx}"], rules: { "corridor/replayable": "off", "no-console": "off" } },
    // Published without Effect, so without its Clock and Random.
    { files: ["src/client/{PromiseClient,VerifyWebhook}.ts"], rules: { "corridor/replayable": "off" } },
    { files: ["src/**/*.{ts,tsx}"], rules: { "no-restricted-imports": ["error", { patterns: [noTests] }] } },
    ...arrowsDown,
    ...standingBeside,
    { files: ["src/app/SandboxFakes.ts"], rules: { "no-restricted-imports": "off" } }
  ]
}
