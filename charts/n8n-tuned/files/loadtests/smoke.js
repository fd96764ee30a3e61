import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("smoke");
var smoke_default = iteration;
export {
  smoke_default as default,
  handleSummary,
  options,
  setup
};
