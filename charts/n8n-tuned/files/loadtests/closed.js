import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("closed");
var closed_default = iteration;
export {
  closed_default as default,
  handleSummary,
  options,
  setup
};
