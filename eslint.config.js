import tseslint from "typescript-eslint"

const clock = "Ask Effect's Clock, Random or the Ids service, so that a run can be replayed from a seed."
const swallow = "An error that nobody sees is lost: handle it by its tag or log it with Effect.logWarning first."

const call = (object, method) => `CallExpression[callee.object.name='${object}'][callee.property.name='${method}']`

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

const arrowsDown = wings.slice(1).map(([wing], at) => {
  const above = wings.slice(0, at + 1).flat()
  const message = `src/${wing} stands below it: hand down what it needs, or move it.`
  const patterns = [{ regex: `^(\\.\\./)+(${above.join("|")}|main\\.ts)(/|$)`, message }]
  return { files: [`src/${wing}/**/*.ts`], rules: { "no-restricted-imports": ["error", { patterns }] } }
})

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "coverage/**"] },
  ...tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-empty": "error",
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-empty-object-type": "off"
    }
  },
  {
    files: ["src/**/*.ts", "migrations/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: call("Date", "now"), message: clock },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: clock },
        { selector: call("Math", "random"), message: clock },
        { selector: "CallExpression[callee.name='randomUUID']", message: clock },
        { selector: call("Effect", "ignore"), message: swallow },
        { selector: call("Effect", "catchAllCause") + " > ArrowFunctionExpression[params.length=0]", message: swallow },
        { selector: call("Effect", "catchAll") + " > ArrowFunctionExpression[params.length=0]", message: swallow },
        { selector: "CatchClause > BlockStatement[body.length=0]", message: swallow },
        { selector: "Identifier[name='parseFloat']", message: "Money never touches a float." }
      ]
    }
  },
  ...arrowsDown
)
