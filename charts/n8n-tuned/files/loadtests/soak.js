import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("soak");
var soak_default = iteration;
export {
  soak_default as default,
  handleSummary,
  options,
  setup
};
