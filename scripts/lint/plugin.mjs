/** What a general linter cannot know about this code: where time, chance and money come from, and that no error is lost. */
const clock = "Ask Effect's Clock, Random or the Ids service, so that a run can be replayed from a seed."
const swallow = "An error that nobody sees is lost: handle it by its tag or log it with Effect.logWarning first."

const isCallOf = ({ callee }, object, method) =>
  callee.type === "MemberExpression" && callee.object.name === object && callee.property.name === method

const ignoresItsArgument = (node) => node?.type === "ArrowFunctionExpression" && node.params.length === 0

const rule = (visitor) => ({ create: (context) => visitor((node, message) => context.report({ node, message })) })

export default {
  meta: { name: "corridor" },
  rules: {
    replayable: rule((report) => ({
      CallExpression: (node) => {
        if (isCallOf(node, "Date", "now") || isCallOf(node, "Math", "random")) report(node, clock)
        if (node.callee.name === "randomUUID") report(node, clock)
      },
      NewExpression: (node) => {
        if (node.callee.name === "Date" && node.arguments.length === 0) report(node, clock)
      }
    })),
    "no-lost-error": rule((report) => ({
      CallExpression: (node) => {
        if (isCallOf(node, "Effect", "ignore")) report(node, swallow)
        const catches = isCallOf(node, "Effect", "catchAll") || isCallOf(node, "Effect", "catchAllCause")
        if (catches && node.arguments.some(ignoresItsArgument)) report(node, swallow)
      },
      CatchClause: (node) => {
        if (node.body.body.length === 0) report(node, swallow)
      }
    })),
    "no-float": rule((report) => ({
      Identifier: (node) => {
        if (node.name === "parseFloat") report(node, "Money never touches a float.")
      }
    }))
  }
}
