import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("stress");
var stress_default = iteration;
export {
  stress_default as default,
  handleSummary,
  options,
  setup
};
